/// The report's page. `ReportScript` draws what is in it.
enum ReportTemplate {
  /// - Parameter data: JSON without any `<`.
  static func page(data: String) -> String {
    #"""
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Godwit simulation</title>
    <style>
    \#(colours)\#(text)\#(tableLooks)\#(pictures)\#(narrow)\#(print)</style>
    </head>
    <body>
    <svg class="shapes" width="0" height="0" aria-hidden="true"><defs>
    <path id="cross" d="M-4-4L4 4M4-4L-4 4"/>
    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect class="hatch" width="3" height="6"/></pattern>
    </defs></svg>
    <header>
    <h1>Godwit simulation</h1>
    <p class="note">What the agent would have done on recorded drives with the settings shown. <span id="zones"></span>
    Charge, time to the first fix, and the network follow from the assumptions of the simulation.</p>
    </header>
    <main>
    <noscript><p>A script in this file draws the report. Allow scripts for it; it asks for no network.</p></noscript>
    </main>
    <script type="application/json" id="data">\#(data)</script>
    <script>
    "use strict";
    \#(ReportScript.all)</script>
    </body>
    </html>

    """#
  }

  /// They differ in hue and in lightness, after Okabe and Ito's palette for the colour-blind; nothing is shown by
  /// colour alone. Paper has those of light.
  private static let colours = #"""
    :root { color-scheme: light dark; --page: #f4f5f3; --card: #fff; --ink: #1b1f23; --soft: #566069;
      --rule: #dde1e4; --chip: #e9eef2; --ground: #f3f5f4; --recorded: #7f878e; --kept: #0067a5; --on-kept: #fff;
      --dot: #003d66; --stop: #8a3f73; --bad: #c23b00; --wait: #b57600; --open: #00795c; --rest: #848d95; }
    @media screen and (prefers-color-scheme: dark) {
      :root { --page: #131619; --card: #1c2024; --ink: #e8eaec; --soft: #a4adb5; --rule: #343b42;
        --chip: #2a3239; --ground: #16191c; --recorded: #7d868e; --kept: #56b4e9; --on-kept: #0b1a24;
        --dot: #a5d8f3; --stop: #e08cc0; --bad: #ff8656; --wait: #f0b53c; --open: #35c19a; --rest: #6b7680; } }

    """#

  private static let text = #"""
    * { box-sizing: border-box; }
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1.25rem 1rem 3rem;
      background: var(--page); color: var(--ink); }
    h1 { font-size: 1.5rem; margin: 0; }
    h2 { font-size: 1.3rem; margin: 2.5rem 0 0; overflow-wrap: anywhere; }
    h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; overflow-wrap: anywhere; }
    h3 code { color: var(--soft); font-weight: normal; font-size: .85em; }
    h4 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
    p { margin: 0 0 .75rem; }
    .note, figcaption { color: var(--soft); max-width: 46rem; font-size: .9rem; }
    a { color: var(--kept); }
    code { font: .875em ui-monospace, monospace; overflow-wrap: break-word; }
    .changes { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .75rem; padding: 0; }
    .changes li { background: var(--chip); border-radius: .4rem; padding: .05rem .5rem; }
    article, .comparison { margin-top: 1rem; }
    article + article { border-top: 1px solid var(--rule); margin-top: 2.5rem; }
    .tiles { display: grid; gap: .6rem; margin: 0; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); }
    .tiles div, figure, .table { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; }
    .tiles div { padding: .55rem .8rem .65rem; }
    .tiles .warning { border-color: var(--bad); box-shadow: inset 4px 0 var(--bad); }
    dt, dd span { color: var(--soft); font-size: .85rem; }
    dd { margin: 0; line-height: 1.3; }
    dd b { display: block; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    figure { margin: 0 0 .75rem; padding: .8rem; position: relative; }
    figcaption { margin-top: .5rem; }
    .shapes { position: absolute; }
    .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .5rem 0 0; padding: 0;
      font-size: .85rem; color: var(--soft); }
    .legend li { display: flex; align-items: center; gap: .35rem; }
    .legend svg { flex: none; }

    """#

  private static let tableLooks = #"""
    .table { position: relative; font-size: .9rem; overflow-x: auto; margin: 0 0 .75rem; padding: .6rem .8rem; }
    .tables { display: grid; gap: .75rem; align-items: start;
      grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); }
    .tables .table { margin: 0; }
    table { border-collapse: collapse; width: 100%; font-size: inherit; font-variant-numeric: tabular-nums; }
    caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
    th, td { text-align: left; padding: .25rem .9rem .25rem 0; vertical-align: top; }
    th { font-weight: normal; }
    thead th { white-space: nowrap; color: var(--soft); font-size: .85rem; vertical-align: bottom; }
    tbody tr { border-top: 1px solid var(--rule); }
    td { white-space: nowrap; }
    td code { white-space: normal; }
    .n { text-align: right; }
    th:last-child, td:last-child { padding-right: 0; }
    th[scope=row] { position: sticky; left: 0; background: var(--card); }
    .comparison thead th { white-space: normal; }
    .comparison tbody th, header tbody th { min-width: 9rem; }

    """#

  private static let pictures = #"""
    .pane { position: relative; overflow: hidden; background: var(--ground); border-radius: .3rem; touch-action: none;
      user-select: none; -webkit-user-select: none; }
    .map .pane { height: clamp(17rem, 52vh, 34rem); cursor: crosshair; }
    .pane:focus-visible { outline: 2px solid var(--kept); outline-offset: 2px; }
    .buttons { position: absolute; z-index: 1; right: 1.3rem; top: 1.3rem; display: grid; gap: .3rem; }
    .timeline .buttons { right: .8rem; top: .8rem; display: flex; }
    button { font: 600 1rem/1 system-ui, sans-serif; width: 2rem; height: 2rem; color: var(--ink);
      background: var(--card); border: 1px solid var(--rule); border-radius: .4rem; cursor: pointer; }
    .pane > svg, .strip > svg { display: block; width: 100%; }
    .pane svg text, .plot text { font: 12px system-ui, sans-serif; fill: var(--soft); text-anchor: middle;
      font-variant-numeric: tabular-nums; }
    .map svg text { font-weight: 600; fill: var(--ink); }
    .recorded, .kept, .dots { fill: none; stroke-linecap: round; stroke-linejoin: round; }
    .map path, .map circle { vector-effect: non-scaling-stroke; }
    .recorded { stroke: var(--recorded); stroke-width: 1.5; }
    .kept { stroke: var(--kept); stroke-width: 2.5; }
    .kept.k1 { stroke: var(--bad); stroke-dasharray: 9 5; }
    .kept.k2 { stroke: var(--open); stroke-dasharray: 3 4; }
    .kept.k3 { stroke: var(--stop); stroke-dasharray: 12 3 3 3; }
    .kept.chosen { stroke: var(--bad); stroke-width: 5; }
    .dots { stroke: var(--dot); stroke-width: 5; }
    .dots.small { stroke-width: 3; }
    .fence { fill: var(--stop); fill-opacity: .15; stroke: var(--stop); }
    .geofence { fill: none; stroke: var(--open); stroke-width: 2; stroke-dasharray: 6 4; }
    .map svg text.geofence { fill: var(--open); stroke-dasharray: none; }
    .stop { fill: var(--stop); stroke: var(--ground); }
    .leader { stroke: var(--soft); fill: none; }
    .start circle { fill: var(--kept); stroke: var(--ground); }
    .end rect { fill: var(--ground); stroke: var(--kept); stroke-width: 2; }
    .map .start text { fill: var(--on-kept); font-size: 11px; }
    .map .end text { font-size: 11px; }
    path.worst { fill: none; stroke: var(--bad); stroke-width: 2.5; }
    text.halo, .scale text, .north text { paint-order: stroke; stroke: var(--ground); stroke-width: 4px;
      stroke-linejoin: round; }
    .jump, .failed { stroke: var(--bad); stroke-width: 2.5; fill: none; stroke-linecap: round; }
    .scale path { stroke: var(--ink); stroke-width: 1.5; fill: none; }
    .map .scale text { text-anchor: start; }
    .north path { fill: var(--ink); }
    .here circle { fill: var(--wait); stroke: var(--ink); stroke-width: 2; }
    .instant { min-height: 1.6rem; margin: 0 0 .75rem; font-size: .9rem; font-variant-numeric: tabular-nums; }
    .timeline .pane { background: none; cursor: crosshair; touch-action: pan-y; }
    .cursor { position: absolute; top: 0; bottom: 0; width: 0; border-left: 1.5px solid var(--ink);
      pointer-events: none; }
    .strip { margin-bottom: .6rem; }
    .head { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1rem; margin-bottom: .15rem; }
    .strip:first-child .head { padding-right: 7rem; min-height: 2.3rem; }
    .strip p { margin: 0; font-size: .9rem; }
    .strip p span { color: var(--soft); }
    .strip .legend { margin: 0; font-size: .8rem; gap: .1rem .8rem; }
    .strip > svg { background: var(--ground); }
    .grid { stroke: var(--rule); fill: none; }
    .pane .axis text[text-anchor=start], .pane .axis .date { text-anchor: start; }
    .pane .axis text[text-anchor=end] { text-anchor: end; }
    .pane .axis .date { font-weight: 600; }
    .open { fill: var(--open); }
    .power, .moving { fill: var(--kept); }
    .stationary, .closed { fill: var(--rest); }
    .unknown, .learning { fill: url(#hatch); }
    .hatch { fill: var(--soft); }
    .acquiring { fill: var(--wait); }
    .nosky { fill: var(--bad); }
    .lost { fill: url(#hatch); stroke: var(--bad); }
    .speed, .queue { fill: var(--kept); fill-opacity: .3; stroke: var(--kept); }
    .sent { stroke: var(--open); stroke-width: 1.5; fill: none; }
    .plot svg { display: block; width: 100%; height: auto; max-width: 46rem; }
    .plot .rule { stroke: var(--rule); }
    .plot text.right { text-anchor: start; }
    .plot text.left { text-anchor: end; }
    .plot .s0 { stroke: var(--kept); fill: var(--kept); stroke-width: 2.5; }
    .plot .s1 { stroke: var(--bad); fill: var(--bad); stroke-width: 2.5; }
    .plot path.s0, .plot path.s1 { fill: none; }
    .plot path.s1 { stroke-dasharray: 9 5; }
    .plot text.s0, .plot text.s1 { stroke: none; font-weight: 600; text-anchor: start; }
    .plot text.s1 { text-anchor: end; }

    """#

  private static let narrow = #"""
    @media (max-width: 40rem) {
      body { padding: 1rem .75rem 2rem; }
      figure { padding: .6rem; }
      .tiles { grid-template-columns: 1fr 1fr; }
      table, thead th { font-size: .8rem; }
      .table { padding: .6rem; }
      th, td { padding-right: .5rem; }
      .comparison tbody th, header tbody th { min-width: 5.5rem; }
      .comparison td code { font-size: .75em; }
      .dots { stroke-width: 3.5; }
      .dots.small { stroke-width: 2; }
      .stacks, .stacks tbody { display: block; }
      .stacks caption { display: block; }
      .stacks thead { position: absolute; clip-path: inset(50%); }
      .stacks tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem; padding: .35rem 0;
        border-top: 1px solid var(--rule); }
      .stacks th[scope=row] { grid-column: 1 / -1; font-weight: 600; }
      .stacks td, .stacks th { border: 0; padding: 0; text-align: left; white-space: normal; }
      .stacks td::before { content: attr(data-title); display: block; color: var(--soft); font-size: .75rem; }
    }

    """#

  /// A4, a result a page.
  private static let print = #"""
    @page { size: A4; margin: 12mm; }
    @media print {
      :root { color-scheme: light; font-size: 12.5px; --page: #fff; --ink: #000; --soft: #444; --rule: #ccc;
        --ground: #f6f6f6; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      body { font-size: 9.5pt; max-width: none; padding: 0; }
      h2, h3, h4 { break-after: avoid; margin: .6rem 0 .3rem; }
      article, section + section { break-before: page; }
      header + main > section:first-child > article:first-of-type { break-before: auto; }
      article + article { border: 0; margin-top: 0; }
      figure, .table, .tiles div { break-inside: avoid; padding: .35rem .5rem; border-radius: .2rem; }
      .comparison .table { break-inside: auto; }
      tr { break-inside: avoid; }
      .tiles { grid-template-columns: repeat(5, 1fr); gap: .3rem; }
      dd b { font-size: 1rem; }
      .map .pane { height: 70mm; }
      .map .buttons, .timeline .buttons, .cursor, .here, .instant { display: none; }
      .strip { margin-bottom: .3rem; }
      .tables { grid-template-columns: repeat(3, 1fr); gap: .4rem; }
      .table { overflow: visible; font-size: 8pt; }
      thead th { font-size: 1em; }
      th, td { padding-right: .5rem; }
      th[scope=row] { position: static; }
      a { color: inherit; text-decoration: none; }
    }

    """#
}
