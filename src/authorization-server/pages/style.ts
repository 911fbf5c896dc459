// The style sheet of the pages, light and dark; inlined, so that pages load no resources.

/** The Content-Security-Policy allows exactly this text by its hash, so it must be constant. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f9;
  --tool-profile: #ffffff;
  --raised: #f6f8fb;
  --line: #d8dfe9;
  --text: #121a27;
  --quiet: #526076;
  --accent: #2257d0;
  --on-accent: #ffffff;
  --bad: #b3261e;
  --warn: #7d5200;
  --good: #10733f;
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0c1118;
    --tool-profile: #141b25;
    --raised: #1b2431;
    --line: #2c3849;
    --text: #e7edf5;
    --quiet: #9babc0;
    --accent: #79a8ff;
    --on-accent: #0b1526;
    --bad: #ff9a8f;
    --warn: #f2c063;
    --good: #5fd39a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; overflow-wrap: anywhere; background: var(--ground); color: var(--text); }
main { width: min(30rem, 100% - 2rem); margin: 0 auto; padding: 2.5rem 0 3rem; }
main.wide { width: min(56rem, 100% - 2rem); }
nav.views { display: flex; flex-wrap: wrap; gap: 0.25rem; max-width: 56rem; margin: 0 auto; padding: 0.9rem 1rem 0; }
.views a { padding: 0.4rem 0.75rem; border-radius: 0.5rem; color: var(--quiet); font-size: 0.95rem; font-weight: 550; text-decoration: none; }
.views a:hover { color: var(--text); }
.views a[aria-current] { background: var(--tool-profile); color: var(--text); box-shadow: 0 1px 3px #10182814; }
.brand { margin: 0 0 1rem; font-weight: 650; color: var(--quiet); letter-spacing: 0.01em; }
.card {
  padding: 1.75rem; border: 1px solid var(--line); border-radius: 0.9rem;
  background: var(--tool-profile); box-shadow: 0 1px 3px #10182814;
}
.card + .card { margin-top: 1.25rem; }
h1 { margin: 0 0 0.4rem; font-size: 1.4rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 0.6rem; font-size: 1.1rem; }
h3 { margin: 0; font-size: 0.95rem; }
p { margin: 0.4rem 0 1rem; overflow-wrap: anywhere; }
.quiet, small { color: var(--quiet); font-size: 0.9rem; }
a { color: var(--accent); }
label, legend { display: block; margin: 0.9rem 0 0.3rem; padding: 0; font-weight: 600; font-size: 0.95rem; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
input[type="text"], input[type="password"], select, textarea {
  width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit;
  background: var(--tool-profile); border: 1px solid var(--quiet); border-radius: 0.5rem;
}
textarea { resize: vertical; }
input[aria-invalid="true"], textarea[aria-invalid="true"] { border-color: var(--bad); border-width: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
button, .button {
  display: inline-block; min-height: 2.75rem; padding: 0.55rem 1.25rem; font: inherit;
  font-weight: 600; text-decoration: none; cursor: pointer; border-radius: 0.5rem;
  border: 1px solid var(--quiet); background: var(--tool-profile); color: var(--text);
}
button.main, .button.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button:hover { filter: brightness(1.06); }
button.small { min-height: 2.25rem; padding: 0.25rem 0.8rem; font-size: 0.9rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
.actions button { flex: 1 1 8rem; }
.problem, .notice {
  margin: 0 0 1.1rem; padding: 0.75rem 0.95rem; border-radius: 0.5rem; background: var(--raised);
  border-left: 4px solid var(--bad); overflow-wrap: anywhere;
}
.notice { border-left-color: var(--warn); }
.done { border-left-color: var(--good); }
.problem p, .notice p { margin: 0; }
.problem ul { margin: 0.3rem 0 0; padding-left: 1.2rem; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.35rem 1rem; margin: 1rem 0; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.permissions { margin: 1rem 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.permissions > li { padding: 0.7rem 0; border-bottom: 1px solid var(--line); }
.permissions ul { margin: 0.2rem 0 0; padding-left: 1.2rem; color: var(--quiet); }
.permissions .strong { color: var(--warn); font-weight: 600; }
.choice { display: flex; gap: 0.6rem; align-items: baseline; margin: 0.35rem 0; font-weight: 400; }
.choices { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 0 1rem; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 0 1.5rem; }
.head { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1rem; align-items: baseline; }
.head p, .head form { margin: 0; }
.applications { margin: 0; padding: 0; list-style: none; }
.applications > li { padding: 1rem 0; border-top: 1px solid var(--line); }
.tabs { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0.6rem 0; }
.tabs a[aria-current] { color: inherit; font-weight: 600; text-decoration: none; }
details { margin-top: 0.9rem; }
summary { cursor: pointer; font-weight: 600; font-size: 0.95rem; }
code { font: 0.875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
pre { margin: 0.6rem 0; padding: 0.75rem; border-radius: 0.5rem; background: var(--raised); overflow-x: auto; white-space: pre-wrap; }
@media (prefers-reduced-motion: no-preference) { button { transition: filter 0.1s; } }
`;
