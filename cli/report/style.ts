/** The style sheet of every report: light, no files besides, legible in print. */
export const STYLE = `
:root { color-scheme: light; --ink: #1b1f24; --soft: #59636e; --rule: #d5dae0; --paper: #fff; --wash: #f5f7f9; --accent: #0b57a4; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif; }
.top, .language-body { max-width: 920px; margin: 0 auto; padding: 0 24px; }
.top { display: flex; justify-content: space-between; align-items: center; padding-top: 20px; color: var(--soft); font-size: 14px; }
.brand { font-weight: 700; color: var(--accent); letter-spacing: .02em; }
.switch { position: absolute; opacity: 0; pointer-events: none; }
.switches label { display: inline-block; border: 1px solid var(--rule); padding: 3px 12px; cursor: pointer; }
.switches label:first-of-type { border-radius: 6px 0 0 6px; }
.switches label:last-of-type { border-radius: 0 6px 6px 0; border-left: 0; }
.language-body { display: none; }
#language-en:checked ~ .language-en, #language-zh:checked ~ .language-zh { display: block; }
#language-en:checked ~ .top label[for=language-en], #language-zh:checked ~ .top label[for=language-zh] { background: var(--accent); color: #fff; border-color: var(--accent); }
#language-en:focus-visible ~ .top label[for=language-en], #language-zh:focus-visible ~ .top label[for=language-zh] { outline: 2px solid var(--ink); outline-offset: 2px; }
h1 { font-size: 28px; line-height: 1.25; margin: 20px 0 8px; }
h2 { font-size: 20px; line-height: 1.3; margin: 36px 0 8px; padding-top: 16px; border-top: 1px solid var(--rule); }
h3 { font-size: 16px; margin: 24px 0 4px; }
h4 { font-size: 14px; margin: 20px 0 4px; }
p { margin: 8px 0; max-width: 46em; }
.lead { font-size: 17px; }
.note, figcaption { color: var(--soft); font-size: 14px; }
ul.plain { padding-left: 1.2em; max-width: 46em; }
code, .picture { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono CJK SC", monospace; font-size: .92em; }
.picture { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.45; }
figure { margin: 16px 0; }
.chart { width: 100%; height: auto; display: block; overflow: visible; }
.chart text { font-size: 13px; fill: var(--ink); font-family: inherit; }
.chart text.tick, .chart text.axis-title { fill: var(--soft); }
.chart .middle { text-anchor: middle; }
.chart .end { text-anchor: end; }
.chart .strong { font-weight: 700; }
.chart text.part { font-size: 12px; }
.grid { stroke: #e4e8ec; stroke-width: 1; }
.axis { stroke: #8c959f; stroke-width: 1; }
.line { fill: none; stroke-linejoin: round; }
.leader { fill: none; stroke-width: 1; }
.scroll { overflow-x: auto; margin: 12px 0; }
table { border-collapse: collapse; font-size: 14px; min-width: 60%; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { vertical-align: bottom; font-weight: 600; line-height: 1.35; }
th.number, td.number { text-align: right; padding: 5px 4px 5px 18px; font-variant-numeric: tabular-nums; }
th.number + th.text, td.number + td.text { padding-left: 24px; }
td.number, .unit { white-space: nowrap; }
.unit { display: block; font-weight: 400; font-size: 12px; color: var(--soft); }
tr.strong td { font-weight: 700; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 12px; margin: 16px 0; }
.card { background: var(--wash); border: 1px solid var(--rule); border-radius: 8px; padding: 12px 14px; }
.card .value { font-size: 24px; font-weight: 700; font-variant-numeric: tabular-nums; line-height: 1.2; }
.card .value small { font-size: 14px; font-weight: 400; color: var(--soft); }
.card .name { font-size: 13px; color: var(--soft); }
.language-body .foot { margin-top: 40px; padding: 12px 0 32px; max-width: none; color: var(--soft); font-size: 13px; }
@media (min-width: 700px) { td.text:first-child { white-space: nowrap; } }
@media print {
  @page { margin: 14mm; }
  body { font-size: 11pt; }
  .top, .language-body { max-width: none; padding-left: 0; padding-right: 0; }
  .switches { display: none; }
  figure, .card, tr, .scroll { break-inside: avoid; }
  h2, h3, h4, .note { break-after: avoid; }
  .scroll { overflow: visible; }
  .chart { max-height: 76mm; }
  table { font-size: 9.5pt; min-width: 0; }
  th, td { padding-right: 8px; }
  th.number, td.number { padding-left: 8px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
