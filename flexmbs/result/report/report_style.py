"""How reports of runs look: on a screen, on a phone, in print, in the dark."""

from flexmbs.common.html_pieces import STYLE

REPORT_STYLE = (
    STYLE
    + """
:root { --good: #1a7f4b; --note: #b26a00; }
@media (prefers-color-scheme: dark) { :root { --good: #6fd39b; --note: #f0b45c; } }
html { scroll-behavior: smooth; scroll-padding-top: 0.5rem; }
h1 { font-size: clamp(1.35rem, 4vw, 1.9rem); } h4 { font-size: 0.95rem; margin: 1rem 0 0.2rem; }
.under-title { margin: 0.2rem 0 0.8rem; color: var(--soft); }
.chip { display: inline-block; padding: 0.05rem 0.6rem; border-radius: 1rem; border: 1px solid currentcolor;
  font-size: 0.85rem; } .chip.good { color: var(--good); } .chip.bad { color: var(--bad); }
nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; padding: 0.5rem 0; border-top: 1px solid var(--line);
  border-bottom: 1px solid var(--line); } nav a { margin: 0; }
a.tile { color: inherit; text-decoration: none; border: 1px solid transparent; }
a.tile:hover { border-color: var(--link); }
.tile { flex: 1 1 7rem; } .tile b { font-variant-numeric: tabular-nums; overflow-wrap: normal; }
table { margin: 0.3rem 0 0.8rem; } tbody tr:hover { background: var(--band); }
td, th { max-width: 36rem; } .scroll:not(.plain) td { overflow-wrap: anywhere; }
.plain td:first-child, .plain td:last-child { white-space: normal; }
p.plain-text { margin: 0.5rem 0; } p.good { border-left: 0.25rem solid var(--good); background: var(--band);
  padding: 0.4rem 0.8rem; margin: 0.6rem 0; } p.note { border-left-color: var(--note); }
ul { padding-left: 1.2rem; margin: 0.4rem 0 0.8rem; } li { margin: 0.25rem 0; max-width: 60rem; }
ul.warnings li::marker { content: "\\26A0\\FE0E  "; color: var(--note); } ul.warnings { padding-left: 1.6rem; }
details { margin: 0.6rem 0; } summary { cursor: pointer; font-weight: 600; font-size: 0.95rem; padding: 0.2rem 0; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0.8rem 1.2rem; }
.plots figure { margin: 0; } .plots figure img { min-width: 0 !important; width: 100%; }
.stills { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 0.8rem; }
.stills figure { margin: 0; } .stills img { width: 100%; border: 1px solid var(--line); }
figcaption { color: var(--soft); font-size: 0.85rem; padding: 0.2rem 0; }
.scene { margin: 1rem 0; }
@media (max-width: 40rem) { body { padding: 0.6rem 0.7rem 3rem; } .tile { padding: 0.4rem 0.6rem; min-width: 6rem; }
  .tile b { font-size: 1.1rem; } td, th { max-width: 16rem; padding-right: 0.45rem; } table { font-size: 0.78rem; } }
@media print { :root { color-scheme: light; --text: #000; --soft: #444; --line: #bbb; --back: #fff; --band: #f4f4f4; }
  @page { margin: 16mm 14mm; } .scroll { overflow: visible; } table { font-size: 7.5pt; }
  details > summary { list-style: none; break-after: avoid; } details:not([open]) { display: none; }
  .beside-stills { display: none; } a.tile { break-inside: avoid; }
  .tiles { gap: 0.3rem; } .tile { min-width: 5rem; padding: 0.2rem 0.5rem; } .tile b { font-size: 1rem; }
  .plots { grid-template-columns: 1fr 1fr; } .stills { grid-template-columns: 1fr 1fr 1fr; }
  td, th { padding-right: 0.4rem; max-width: none; } h2 { margin-top: 1.2rem; } }
"""
)
