/// The page's looks. Colours differ in hue and in lightness, after Okabe and Ito's palette for the colour-blind;
/// nothing is shown by colour alone.
enum ReportStyle {
  /// Shapes that the pictures share.
  static let shapes: HTML = """
    <svg class="shapes" width="0" height="0" aria-hidden="true"><defs>
    <path id="cross" d="M-4-4L4 4M4-4L-4 4"/>
    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect class="hatch" width="3" height="6"/></pattern>
    </defs></svg>
    """

  static let css: HTML = "\(colours)\(text)\(tables)\(map)\(timeline)\(overlay)\(narrow)\(print)"

  private static let colours: HTML = """
    :root { color-scheme: light dark; --page: #f4f5f3; --card: #fff; --ink: #1b1f23; --soft: #566069;
      --rule: #dde1e4; --chip: #e9eef2; --ground: #f3f5f4; --recorded: #7f878e; --kept: #0067a5; --on-kept: #fff;
      --dot: #003d66; --stop: #8a3f73; --bad: #c23b00; --wait: #b57600; --open: #00795c; --rest: #848d95; }
    @media (prefers-color-scheme: dark) {
      :root { --page: #131619; --card: #1c2024; --ink: #e8eaec; --soft: #a4adb5; --rule: #343b42;
        --chip: #2a3239; --ground: #16191c; --recorded: #7d868e; --kept: #56b4e9; --on-kept: #0b1a24;
        --dot: #a5d8f3; --stop: #e08cc0; --bad: #ff8656; --wait: #f0b53c; --open: #35c19a; --rest: #6b7680; } }

    """

  private static let text: HTML = """
    * { box-sizing: border-box; }
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1.25rem 1rem 3rem;
      background: var(--page); color: var(--ink); }
    h1 { font-size: 1.5rem; margin: 0; }
    h2 { font-size: 1.3rem; margin: 2.5rem 0 0; overflow-wrap: anywhere; }
    h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; overflow-wrap: anywhere; }
    h3 code { color: var(--soft); font-weight: normal; font-size: .85em; }
    h4 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
    p { margin: 0 0 .75rem; }
    .note, figcaption { color: var(--soft); }
    .note, figcaption { max-width: 46rem; font-size: .9rem; }
    a { color: var(--kept); }
    code { font: .875em ui-monospace, monospace; overflow-wrap: break-word; }
    .changes { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .75rem; padding: 0; }
    .changes li { background: var(--chip); border-radius: .4rem; padding: .05rem .5rem; }
    article, .comparison { margin-top: 1rem; }
    article + article { border-top: 1px solid var(--rule); margin-top: 2.5rem; }
    .tiles { display: grid; gap: .6rem; margin: 0;
      grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); }
    .tiles div, figure, .table { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; }
    .tiles div { padding: .55rem .8rem .65rem; }
    .tiles .warning { border-color: var(--bad); box-shadow: inset 4px 0 var(--bad); }
    dt, dd span { color: var(--soft); font-size: .85rem; }
    dd { margin: 0; line-height: 1.3; }
    dd b { display: block; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    figure { margin: 0; padding: .8rem; }
    .plot { margin-bottom: .75rem; }
    figcaption { margin-top: .5rem; }
    .shapes { position: absolute; }
    .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .5rem 0 0; padding: 0;
      font-size: .85rem; color: var(--soft); }
    .legend li { display: flex; align-items: center; gap: .35rem; }
    .legend svg { flex: none; }

    """

  private static let tables: HTML = """
    .table { font-size: .9rem; overflow-x: auto; margin: 0 0 .75rem; padding: .6rem .8rem; }
    .tables { display: grid; gap: .75rem; align-items: start; grid-template-columns: repeat(auto-fill, minmax(min(21rem, 100%), 1fr)); }
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

    """

  private static let map: HTML = """
    .map > svg { display: block; width: 100%; background: var(--ground); border-radius: .3rem; }
    .map text { font: 600 12px system-ui, sans-serif; fill: var(--ink); text-anchor: middle; }
    .recorded, .kept, .dots { fill: none; stroke-linecap: round; stroke-linejoin: round;
      vector-effect: non-scaling-stroke; }
    .recorded { stroke: var(--recorded); stroke-width: 1.5; }
    .kept { stroke: var(--kept); stroke-width: 2.5; }
    .kept:hover { stroke-width: 5; }
    .kept:target { stroke: var(--bad); stroke-width: 5; }
    .dots { stroke: var(--dot); stroke-width: 5; pointer-events: none; }
    .dots.small { stroke-width: 3; }
    .fence { fill: var(--stop); fill-opacity: .15; stroke: var(--stop); vector-effect: non-scaling-stroke; }
    .geofence { fill: none; stroke: var(--open); stroke-width: 2; stroke-dasharray: 6 4;
      vector-effect: non-scaling-stroke; }
    .map text.geofence { fill: var(--open); paint-order: stroke; stroke: var(--ground); stroke-width: 4px;
      stroke-dasharray: none; }
    .stop { fill: var(--stop); stroke: var(--ground); }
    .leader { stroke: var(--soft); fill: none; }
    .start circle { fill: var(--kept); stroke: var(--ground); }
    .end rect { fill: var(--ground); stroke: var(--kept); stroke-width: 2; }
    .map .start text { fill: var(--on-kept); font-size: 11px; }
    .map .end text { font-size: 11px; }
    path.worst { fill: none; stroke: var(--bad); stroke-width: 2.5; }
    text.worst { paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; }
    .jump, .failed { stroke: var(--bad); stroke-width: 2.5; fill: none; stroke-linecap: round; }
    .scale path, .scale line { stroke: var(--ink); stroke-width: 1.5; fill: none; }
    .map .scale text { text-anchor: start; }
    .scale text, .north text { paint-order: stroke; stroke: var(--ground); stroke-width: 4px; }
    .north path { fill: var(--ink); }

    """

  private static let timeline: HTML = """
    .strip { margin-bottom: .75rem; }
    .head { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1rem; margin-bottom: .15rem; }
    .strip p { margin: 0; font-size: .9rem; }
    .strip p span { color: var(--soft); }
    .strip .legend { margin: 0; font-size: .8rem; gap: .1rem .8rem; }
    .strip > svg, .axis { display: block; width: 100%; overflow: visible; }
    .strip > svg { background: var(--ground); }
    .grid line { stroke: var(--rule); }
    .axis text { font: 12px system-ui, sans-serif; fill: var(--soft); text-anchor: middle;
      font-variant-numeric: tabular-nums; }
    .axis text[text-anchor=start], .axis .date { text-anchor: start; }
    .axis text[text-anchor=end] { text-anchor: end; }
    .axis .date { font-weight: 600; }
    .open { fill: var(--open); stroke: var(--open); }
    .power, .moving { fill: var(--kept); stroke: var(--kept); }
    .part { stroke: none; }
    .stationary, .closed { fill: var(--rest); stroke: var(--rest); }
    .unknown, .learning { fill: url(#hatch); stroke: var(--soft); }
    .hatch { fill: var(--soft); }
    .acquiring { fill: var(--wait); stroke: var(--wait); }
    .nosky, .lost { fill: var(--bad); stroke: var(--bad); }
    .lost { fill: url(#hatch); }
    .queue { fill: var(--kept); fill-opacity: .3; stroke: var(--kept); vector-effect: non-scaling-stroke; }
    .sent { stroke: var(--open); stroke-width: 1.5; fill: none; vector-effect: non-scaling-stroke; }

    """

  private static let narrow: HTML = """
    @media (max-width: 40rem) {
      body { padding: 1rem .75rem 2rem; }
      figure { padding: .6rem; }
      .tiles { grid-template-columns: 1fr 1fr; }
      .axis .minor { display: none; }
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

    """

  /// Of several settings on one map: each has its own colour and its own dashes.
  private static let overlay: HTML = """
    .kept.k1 { stroke: var(--bad); stroke-dasharray: 9 5; }
    .kept.k2 { stroke: var(--open); stroke-dasharray: 3 4; }
    .kept.k3 { stroke: var(--stop); stroke-dasharray: 12 3 3 3; }
    .plot text { font: 12px system-ui, sans-serif; fill: var(--soft); }
    .plot svg { display: block; width: 100%; height: auto; max-width: 46rem; }
    .plot .rule { stroke: var(--rule); }
    .plot path { fill: none; stroke-width: 2.5; }
    .plot .s0 { stroke: var(--kept); fill: var(--kept); }
    .plot .s1 { stroke: var(--bad); fill: var(--bad); }
    .plot path.s0, .plot path.s1 { fill: none; }
    .plot path.s1 { stroke-dasharray: 9 5; }
    .plot text.s0, .plot text.s1 { stroke: none; font-weight: 600; }

    """

  /// A4, a drive a page: in the colours of paper, whatever the screen has.
  private static let print: HTML = """
    @page { size: A4; margin: 12mm; }
    @media print {
      :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --soft: #444; --rule: #ccc;
        --chip: #eee; --ground: #f6f6f6; --recorded: #7f878e; --kept: #0067a5; --on-kept: #fff; --dot: #003d66;
        --stop: #8a3f73; --bad: #c23b00; --wait: #b57600; --open: #00795c; --rest: #848d95; }
      * { print-color-adjust: exact; }
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
      .map > svg { max-height: 95mm; }
      .strip { margin-bottom: .3rem; }
      .tables { grid-template-columns: repeat(3, 1fr); gap: .4rem; }
      .table { overflow: visible; font-size: 8pt; }
      th[scope=row] { position: static; }
      a { color: inherit; text-decoration: none; }
    }
    """
}
