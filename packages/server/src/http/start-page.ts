/** The page at `/`. */
import type { Readiness } from '@docyard/api';
import { exportFlow } from './first-steps.ts';

export interface StartPageInput {
  readiness: Readiness;
  origin: string;
  startedAt: Date;
  now: Date;
  dashboard: boolean;
}

const stateWords: Record<Readiness['status'], string> = {
  ready: 'Running',
  degraded: 'Running, degraded',
  not_ready: 'Not ready',
};

export function startPage({ readiness, origin, startedAt, now, dashboard }: StartPageInput): string {
  const { status } = readiness;
  const ready = status !== 'not_ready';
  const checks = readiness.checks
    .map(
      ({ name, ok, message }) =>
        `<li class="${ok ? 'good' : 'bad'}"><span class="dot" aria-hidden="true"></span><b>${escape(name)}</b> ${escape(message)}</li>`,
    )
    .join('');
  const cards = [
    ...(dashboard
      ? [['/dashboard/', 'Dashboard', 'Watch exports and agent jobs; manage keys and users.']]
      : []),
    ['/docs/', 'Manual', 'Export, host and operate documentation, online and offline.'],
    [
      '/docs/reference/overview.html',
      'API reference',
      'Every operation with its fields, responses and errors.',
    ],
    ['/openapi.json', 'OpenAPI 3.1', 'The API description in machine-readable form.'],
    // The readiness checks are shown above; four cards fill a row.
    ...(dashboard ? [] : [['/readyz', 'Readiness', 'Health checks for load balancers.']]),
  ]
    .map(
      ([href, title, text]) =>
        `<a class="card" href="${href}"><strong>${title}<span class="arrow" aria-hidden="true">→</span></strong><span>${text}</span></a>`,
    )
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Docyard is ${ready ? 'running' : 'not ready'}</title>
<meta name="description" content="A self-hosted documentation service: static export and agent jobs.">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/start.css">
</head>
<body>
<main>
<header>
${mark}
<p class="state ${ready ? 'good' : 'bad'}"><span class="dot" aria-hidden="true"></span>${stateWords[status]}</p>
<h1>Docyard</h1>
<p class="lead">Documentation in, a self-contained site out. Version ${escape(readiness.version)}, up for ${duration(startedAt, now)}.</p>
<ul class="checks">${checks}</ul>
</header>
<nav aria-label="Main pages" class="cards">${cards}</nav>
<section aria-labelledby="first">
<h2 id="first">Your first export</h2>
<p>Set <code>DOCYARD_API_KEY</code> to the admin key printed at the first start, then paste these lines into a terminal.</p>
<pre tabindex="0" aria-label="Commands for a first export"><code>${escape(exportFlow({ origin, key: undefined }))}</code></pre>
</section>
</main>
</body>
</html>
`;
}

const drawing = `<rect width="32" height="32" rx="8" fill="#0f766e"/>
<path d="M10 5h8.5L24 10.5V20H10z" fill="#fff"/>
<path d="M18.5 5v5.5H24z" fill="#8ce3d6"/>
<path d="M13 13.3h7.5M13 16.6h5" stroke="#0f766e" stroke-width="1.6" stroke-linecap="round"/>
<path d="M5 24c1.8 0 1.8 1.7 3.7 1.7S10.5 24 12.3 24s1.8 1.7 3.7 1.7S17.8 24 19.7 24s1.8 1.7 3.6 1.7S25.2 24 27 24" fill="none" stroke="#8ce3d6" stroke-width="2.1" stroke-linecap="round"/>`;

export const mark = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">${drawing}</svg>`;

export const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${drawing}</svg>`;

function duration(from: Date, to: Date): string {
  const seconds = Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} hours`;
  return `${Math.floor(seconds / 86_400)} days`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export const startStyle = `
:root { color-scheme: light dark; --ink: #14211f; --soft: #50615d; --line: #dfe6e4; --paper: #fbfcfb; --raised: #fff;
  --accent: #0f766e; --bad: #b42318; --code: #f2f6f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8efed; --soft: #9fb0ac; --line: #25322f; --paper: #0c1311;
  --raised: #121b19; --accent: #5eead4; --bad: #fda29b; --code: #0f1816; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: clamp(2rem, 7vw, 5.5rem) 1.25rem 4rem; }
h1 { margin: .25rem 0 0; font-size: clamp(2.25rem, 6vw, 3.25rem); line-height: 1.1; letter-spacing: -.03em; }
h2 { margin: 3rem 0 .25rem; font-size: 1.25rem; letter-spacing: -.01em; }
.lead { margin: .75rem 0 0; color: var(--soft); font-size: 1.125rem; max-width: 46ch; }
.mark { width: 3rem; height: 3rem; display: block; margin-bottom: 1.5rem; }
.state { display: inline-flex; align-items: center; gap: .5rem; margin: 0; font-size: .875rem; font-weight: 600; color: var(--accent); }
.state.bad { color: var(--bad); }
.dot { width: .5rem; height: .5rem; border-radius: 50%; background: currentColor; flex: none; }
.checks { list-style: none; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin: 1.5rem 0 0; padding: 0; font-size: .875rem; color: var(--soft); }
.checks li { display: flex; align-items: center; gap: .5rem; }
.checks b { color: var(--ink); font-weight: 600; text-transform: capitalize; }
.checks .good .dot { color: var(--accent); } .checks .bad .dot { color: var(--bad); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); gap: .875rem; margin-top: 2.5rem; }
.card { display: flex; flex-direction: column; gap: .35rem; padding: 1.1rem 1.15rem; border: 1px solid var(--line); border-radius: .875rem;
  background: var(--raised); color: inherit; text-decoration: none; transition: border-color .15s, transform .15s; }
.card strong { display: flex; justify-content: space-between; font-weight: 600; }
.card span { color: var(--soft); font-size: .9rem; line-height: 1.45; }
.card .arrow { color: var(--accent); transition: transform .15s; }
.card:hover { border-color: var(--accent); transform: translateY(-1px); }
.card:hover .arrow { transform: translateX(3px); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: .5rem; }
code, pre { font-family: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, monospace; font-size: .85rem; }
p code { overflow-wrap: anywhere; background: var(--code); padding: .1rem .35rem; border-radius: .35rem; }
section p { color: var(--soft); margin: 0 0 1rem; }
.checks + .lead { margin-top: 1.5rem; }
.button { margin-top: 2rem; padding: .75rem 1.35rem; border: 0; border-radius: .75rem; background: var(--accent); color: var(--paper);
  font: inherit; font-weight: 600; cursor: pointer; transition: opacity .15s; }
.button:hover { opacity: .88; }
pre { margin: 0; padding: 1.15rem 1.25rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--code); overflow-x: auto; line-height: 1.7; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`;
