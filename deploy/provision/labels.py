"""Labels to print."""
import html, urllib.parse

LABELS_HEAD = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Labels</title><style>
/* A4, 3 by 8 labels of 70 by 37 mm: print at 100 %, without margins. */
@page { size: A4; margin: 0 }
* { box-sizing: border-box }
body { margin: 0; font-family: sans-serif; color: #000; background: #fff }
.sheet { width: 210mm; height: 296mm; display: grid; grid-template: repeat(8, 37mm) / repeat(3, 70mm);
  break-after: page; overflow: hidden }
.label { display: flex; align-items: center; gap: 3mm; padding: 3mm 4mm; overflow: hidden }
.label svg { flex: none; width: 27mm; height: 27mm }
.label b { display: block; font-size: 12pt; overflow-wrap: anywhere; line-height: 1.15 }
.label b.long { font-size: 8pt }
.label span { font-size: 7.5pt }
@media screen { .sheet { outline: 1px solid #bbb; margin: 1em auto } .label { outline: 1px dotted #ccc } }
</style></head><body>
"""


def labels_text(devices, link, segno):
    """What is on a label is no secret: it is on the outside of the box."""
    labels = []
    for device in devices:
        name = device["id"]
        code = segno.make((link + urllib.parse.quote(name, safe="")) if link else name, micro=False, error="m")
        width = code.symbol_size(border=2)[0]
        path = "".join(
            f"M{x + 2} {y + 2}h1v1h-1z" for y, row in enumerate(code.matrix) for x, dark in enumerate(row) if dark)
        picture = f'<svg viewBox="0 0 {width} {width}" shape-rendering="crispEdges"><path d="{path}"/></svg>'
        size = ' class="long"' if len(name) > 24 else ""
        about = html.escape(" · ".join(text for text in (device["profile"], device["hat"]) if text))
        words = f"<div><b{size}>{html.escape(name)}</b><span>{about}</span></div>"
        labels.append(f'<div class="label">{picture}{words}</div>\n')
    sheets = [labels[start:start + 24] for start in range(0, len(labels), 24)]
    body = "".join(f'<div class="sheet">\n{"".join(sheet)}</div>\n' for sheet in sheets)
    return LABELS_HEAD + body + "</body></html>\n"
