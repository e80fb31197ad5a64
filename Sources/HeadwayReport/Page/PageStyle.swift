/// The style, the script and the content security policy of the page.
enum PageStyle {
  /// The content security policy: it allows the style and the script of the page by their digests, and nothing else.
  static let policy =
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
    + "style-src 'sha256-\(sheetDigest)'; script-src 'sha256-\(scriptDigest)'"

  /// The SHA-256 of the style in Base64, which a test compares.
  static let sheetDigest = "pzQKJHNvJgis+M+LtL5+aNI9bgxYMmSK/se/tRYf/v4="

  /// The SHA-256 of the script in Base64, which a test compares.
  static let scriptDigest = "QNes/BlG0wq+iDYWJSgafT1NMbsZMMZCKegraD2bcd4="

  static let sheet = """

    :root { --bg: #fff; --text: #1d242b; --soft: #5a6570; --line: #e2e6ea; --panel: #f5f7f9;
      --bar: #c9d4e0; --on-bar: #1d242b; --path: #2a5b8e; --on-path: #fff; --bad: #b23a31;
      --bad-stripe: #c65b52; --on-bad: #fff; --late: #8f5b00; --late-stripe: #a8761f;
      --wait: #a86a00; --good: #2b6b46; }
    @media screen and (prefers-color-scheme: dark) {
      :root { --bg: #14171b; --text: #e5e9ed; --soft: #9ba6b2; --line: #2a3038; --panel: #1b2026;
        --bar: #3c4a5a; --on-bar: #e5e9ed; --path: #82b3e8; --on-path: #0c1722; --bad: #e8837a;
        --bad-stripe: #cd6860; --on-bad: #1f0b09; --late: #e2ad62; --late-stripe: #c39048;
        --wait: #e2ad62; --good: #7cc49a; } }
    * { box-sizing: border-box; }
    html { background: var(--bg); color: var(--text); color-scheme: light dark;
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      -webkit-text-size-adjust: 100%; }
    body { margin: 0; }
    main { max-width: 1184px; margin: 0 auto; padding: 36px 32px 48px; }
    h1 { font-size: 28px; line-height: 1.2; font-weight: 650; margin: 0; letter-spacing: -.01em;
      overflow-wrap: anywhere; }
    h2 { font-size: 18px; line-height: 1.3; font-weight: 650; margin: 44px 0 12px; }
    h3 { font-size: 14px; font-weight: 600; margin: 0 0 4px; }
    .badge { display: inline-block; vertical-align: 4px; margin-left: 8px; padding: 1px 10px;
      border: 1px solid; border-radius: 99px; font-size: 13px; line-height: 1.5;
      font-weight: 600; letter-spacing: 0; white-space: nowrap; }
    .badge.succeeded { color: var(--good); }
    .badge.failed, .badge.lost { color: var(--bad); }
    .badge.cancelled, .badge.open { color: var(--soft); }
    .when, .note, footer { color: var(--soft); }
    .when { margin: 6px 0 0; overflow-wrap: anywhere; }
    .note, footer { font-size: 13px; margin: 6px 0 0; }
    footer { margin-top: 40px; }
    .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(208px, 1fr));
      gap: 20px 28px; margin: 28px 0 0; padding: 20px 0; border: solid var(--line);
      border-width: 1px 0; }
    .facts dt { font-size: 13px; color: var(--soft); }
    .facts dd { margin: 0; }
    .facts b { display: block; font-size: 22px; line-height: 1.35; font-weight: 600;
      font-variant-numeric: tabular-nums; }
    .facts span { display: block; font-size: 13px; line-height: 1.4; color: var(--soft); }
    .wrong ul { list-style: none; margin: 0; padding: 0; }
    .wrong li { padding: 2px 0 2px 24px; position: relative; overflow-wrap: anywhere; }
    .wrong li > span { position: absolute; left: 4px; font-weight: 700; color: var(--bad); }
    .wrong pre { margin: 4px 0; padding: 6px 10px; background: var(--panel); overflow-x: auto;
      max-height: 24em; font: 12px/1.45 ui-monospace, monospace; overflow-wrap: normal; }
    .wrong .command { white-space: pre-wrap; }
    .wrong summary { cursor: pointer; color: var(--soft); font-size: 13px; }
    .wrong a { color: inherit; font-weight: 600; }
    figure { margin: 0; }
    svg { display: block; }
    .gantt, .chart { width: 100%; height: auto; }
    .scroll { overflow-x: auto; }
    .wide .gantt { min-width: 840px; }
    .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 430px), 1fr));
      gap: 24px 40px; }
    .legend { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; margin: 8px 0 0;
      padding: 0; font-size: 13px; color: var(--soft); }
    .legend li { display: flex; align-items: center; gap: 7px; }
    text { fill: var(--text); font-size: 12px; unicode-bidi: isolate; }
    .tick, .axis, .time, .gapname { fill: var(--soft); font-size: 11px;
      font-variant-numeric: tabular-nums; }
    .e { text-anchor: end; } .m { text-anchor: middle; } .s { text-anchor: start; }
    .strong { font-weight: 650; }
    .gapname { fill: var(--wait); }
    .over { paint-order: stroke; stroke: var(--bg); stroke-width: 4px; stroke-linejoin: round; }
    .inside { fill: var(--on-bar); font-size: 11px; pointer-events: none; }
    .sign { font-size: 11px; font-weight: 700; }
    .inside.critical { fill: var(--on-path); }
    .inside.failed, .inside.late, .failed .sign, .late .sign { fill: var(--on-bad); }
    .grid { stroke: var(--line); fill: none; }
    .bar rect { fill: var(--bar); }
    .bar.critical rect { fill: var(--path); }
    .bar.fresh rect, .bar.cancelled rect, .bar.open rect { fill: var(--panel);
      stroke: var(--soft); }
    .bar.cancelled rect, .bar.open rect { stroke-dasharray: 3 2; }
    .bar.open rect { stroke-dasharray: 1 2; }
    .bar.lost rect { fill: var(--panel); stroke: var(--bad); stroke-dasharray: 3 2; }
    .bar.failed rect { fill: url(#slanted); }
    .bar.late rect { fill: url(#upright); }
    #slanted .background { fill: var(--bad); } #slanted .stripe { fill: var(--bad-stripe); }
    #upright .background { fill: var(--late); } #upright .stripe { fill: var(--late-stripe); }
    .density { fill: var(--soft); }
    .d1 { opacity: .12; } .d2 { opacity: .2; } .d3 { opacity: .3; } .d4 { opacity: .4; }
    .halo { stroke: var(--bg); stroke-width: 3.5; fill: none; }
    .usual { stroke: var(--soft); stroke-width: 1.3; fill: none; }
    .link { stroke: var(--path); stroke-width: 1.5; fill: none; }
    .gap { stroke: var(--wait); stroke-width: 2; stroke-dasharray: 2 3; fill: none; }
    .end { stroke: var(--text); stroke-dasharray: 4 3; fill: none; }
    .told { stroke: var(--path); stroke-width: 2; stroke-linejoin: round; fill: none; }
    .band { fill: var(--path); opacity: .17; }
    .truth { stroke: var(--text); stroke-width: 1.3; stroke-dasharray: 5 3; fill: none; }
    .now { stroke: var(--soft); stroke-dasharray: 1 3; fill: none; }
    details { margin-top: 14px; font-size: 14px; }
    summary { cursor: pointer; width: fit-content; color: var(--soft); }
    details li span { color: var(--soft); }
    details li { overflow-wrap: anywhere; }
    table { border-collapse: collapse; width: 100%; font-size: 14px;
      font-variant-numeric: tabular-nums; }
    caption { text-align: left; color: var(--soft); font-size: 13px; padding: 0 0 8px; }
    th, td { padding: 5px 0 5px 20px; text-align: right; white-space: nowrap;
      border-bottom: 1px solid var(--line); vertical-align: top; font-weight: 400; }
    th:first-child, th:nth-child(2), td.state { text-align: left; }
    th:first-child { padding-left: 0; }
    tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 190px; }
    thead th { color: var(--soft); font-size: 13px; font-weight: 600; }
    thead button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
      cursor: pointer; }
    thead button:hover { color: var(--text); }
    [aria-sort] button { color: var(--text); }
    [aria-sort=ascending] button::after { content: " ↑"; }
    [aria-sort=descending] button::after { content: " ↓"; }
    .kind { color: var(--soft); font-size: 13px; margin-left: 4px; }
    .tag { color: var(--path); border: 1px solid; border-radius: 4px; padding: 0 5px;
      font-size: 11px; white-space: nowrap; }
    td.failed, td.late, td.lost { color: var(--bad); font-weight: 600; }
    td.late { color: var(--late); }
    td.skipped, td.cancelled, td.open, td.fresh { color: var(--soft); }
    .slow { font-weight: 650; }
    :target { background: var(--panel); }
    :focus-visible { outline: 2px solid var(--path); outline-offset: 2px; }
    @media (max-width: 600px) {
      main { padding: 20px 16px 32px; }
      h1 { font-size: 23px; }
      .facts { grid-template-columns: repeat(2, 1fr); gap: 16px 18px; }
      .facts b { font-size: 19px; }
    }
    @media print {
      html { font-size: 9.5pt; }
      main { max-width: none; padding: 0; }
      h2 { margin-top: 26px; }
      .facts { grid-template-columns: repeat(4, 1fr); gap: 12px 20px; margin-top: 16px;
        padding: 12px 0; }
      .facts b { font-size: 17px; }
      .facts dt, .facts span, .legend, .note, caption { font-size: 11px; }
      .pair { grid-template-columns: 1fr 1fr; gap: 24px; }
      table { font-size: 11px; }
      .scroll { overflow: visible; }
      .wide .gantt { min-width: 0; }
      figure, tr, .facts div { break-inside: avoid; }
      h2, h3 { break-after: avoid; }
      details { display: none; }
      svg, .badge { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
    }

    """

  /// Turns the heads of the table into buttons that sort.
  static let script = """

    "use strict";
    for (const table of document.querySelectorAll("table")) {
      const heads = [...table.tHead.rows[0].cells];
      const body = table.tBodies[0];
      heads.forEach((head, column) => {
        const isText = head.dataset.sort === "text";
        const button = document.createElement("button");
        button.type = "button";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const first = isText ? "ascending" : "descending";
          const other = isText ? "descending" : "ascending";
          const order = head.getAttribute("aria-sort") === first ? other : first;
          const sign = order === "ascending" ? 1 : -1;
          for (const each of heads) each.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", order);
          const keyed = [...body.rows].map((row) => {
            const cell = row.cells[column];
            const value = cell.dataset.v;
            const key = isText ? cell.textContent : value === undefined ? NaN : Number(value);
            return [key, row];
          });
          const words = new Intl.Collator(undefined, { numeric: true });
          keyed.sort(([a], [b]) => {
            if (isText) return sign * words.compare(a, b);
            if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
            return sign * (a - b);
          });
          body.append(...keyed.map(([, row]) => row));
        });
      });
    }

    """
}
