/**
 * The quality report as one self-contained HTML page without scripts. Its inline style is allowed by hash in
 * its own Content-Security-Policy.
 */
import { createHash } from 'node:crypto';
import { element, escapeAttribute, escapeText } from '../text/html.ts';
import { otherPlaces } from './aggregate.ts';
import { diagnosticCodes } from '../model/finding-codes.ts';
import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import { reportStyle } from './report-style.ts';
import type { SiteReport } from './report.ts';

/** Bounds the size of the page; report.json has all findings. */
const maxShown = 2000;
const maxWeights = 25;

export function reportHtml(report: SiteReport, siteName: string): string {
  const style = reportStyle(Object.keys(report.byCode));
  const hash = createHash('sha256').update(style).digest('base64');
  const title = `Quality report - ${siteName}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeText(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<p class="eyebrow">Quality report</p>
<h1>${escapeText(siteName)}</h1>
${verdict(report)}
</header>
<main>
${findingsSection(report)}
${pagesSection(report)}
${listSection('Pages without incoming links', 'orphans', report.orphans)}
${listSection(
  'Files of other hosts',
  'remote',
  report.remoteAssets.map(({ file, address }) => `${address} (${file})`),
)}
</main>
</body>
</html>
`;
}

function verdict({ pages, errors, warnings, infos }: SiteReport): string {
  const figure = (count: number, word: string, name: string): string =>
    `<div class="figure ${count === 0 ? 'none' : name}"><dt>${word}</dt><dd>${count}</dd></div>`;
  const figures = [
    figure(pages, pages === 1 ? 'page' : 'pages', 'pages'),
    figure(errors, errors === 1 ? 'error' : 'errors', 'error'),
    figure(warnings, warnings === 1 ? 'warning' : 'warnings', 'warning'),
    figure(infos, infos === 1 ? 'note' : 'notes', 'info'),
  ];
  return `<dl class="figures">${figures.join('')}</dl>`;
}

const severityWords: Record<Severity, string> = { error: 'Error', warning: 'Warning', info: 'Note' };

function findingsSection(report: SiteReport): string {
  const shown = report.diagnostics.slice(0, maxShown);
  if (shown.length === 0)
    return '<section><h2 id="findings">Findings</h2><p class="empty">No findings.</p></section>';
  const total = report.errors + report.warnings + report.infos;
  const rest =
    total > shown.length
      ? `<p class="rest">The first ${shown.length} of ${total} are shown. report.json lists more.</p>`
      : '';
  const files = [...Map.groupBy(shown, ({ file }) => file)];
  return (
    `<section class="findings"><h2 id="findings">Findings</h2>\n${filters(report)}\n${rest}` +
    `${files.map(([file, items]) => fileSection(file, items)).join('\n')}</section>`
  );
}

/** Radio buttons that a stylesheet rule reacts to; without styles everything is shown. */
function filters({ byCode, errors, warnings, infos }: SiteReport): string {
  const choice = (name: string, label: string, count: number, checked: boolean): string =>
    `<label class="choice ${name}"><input type="radio" name="severity" id="show-${name}"${checked ? ' checked' : ''}>` +
    `<span>${label} <b>${count}</b></span></label>`;
  const codes = Object.entries(byCode)
    .map(([code, count]) => {
      const meaning = Object.hasOwn(diagnosticCodes, code)
        ? diagnosticCodes[code as keyof typeof diagnosticCodes]
        : '';
      return `<tr><td>${codeChoice(code, `<code>${escapeText(code)}</code>`, false)}</td><td>${escapeText(meaning)}</td><td class="number">${count}</td></tr>`;
    })
    .join('');
  return (
    '<fieldset class="choices"><legend>Show</legend>' +
    `${choice('all', 'All', errors + warnings + infos, true)}${choice('error', 'Errors', errors, false)}` +
    `${choice('warning', 'Warnings', warnings, false)}${choice('info', 'Notes', infos, false)}</fieldset>` +
    '<details class="codes"><summary>Choose by code</summary><div class="scroll" tabindex="0" role="region" aria-label="Findings by code"><table>' +
    `<thead><tr><th>${codeChoice('all', 'Every code', true)}</th><th>Meaning</th><th class="number">Findings</th></tr></thead><tbody>${codes}</tbody></table></div></details>`
  );
}

function codeChoice(code: string, label: string, checked: boolean): string {
  const id = escapeAttribute(`code-${code}`);
  return `<label class="pick"><input type="radio" name="code" id="${id}"${checked ? ' checked' : ''}>${label}</label>`;
}

function fileSection(file: string, items: readonly Diagnostic[]): string {
  const severities = [...new Set(items.map(({ severity }) => `has-${severity}`))].join(' ');
  const name = file === '' ? 'The site' : file;
  return (
    `<details open class="file ${severities}"><summary><h3>${escapeText(name)}</h3><span class="count">${items.length}</span></summary>` +
    `<ul>${items.map(findingItem).join('')}</ul></details>`
  );
}

function findingItem(finding: Diagnostic): string {
  const { severity, line, column, message, hint, code } = finding;
  const others = otherPlaces(finding);
  const place = line === undefined ? '' : `${line}${column === undefined ? '' : `:${column}`}`;
  return (
    `<li class="finding ${severity} is-${escapeAttribute(code)}"><span class="severity">${severityWords[severity]}</span>` +
    `<span class="place">${place}</span><div><p>${escapeText(message)}</p>` +
    `${hintHtml(others)}${hintHtml(hint)}</div>` +
    `<code>${escapeText(code)}</code></li>`
  );
}

function hintHtml(text: string | undefined): string {
  return text === undefined ? '' : element('p', { class: 'hint' }, escapeText(text));
}

function pagesSection({ weights }: SiteReport): string {
  const largest = weights.slice(0, maxWeights);
  if (largest.length === 0) return '';
  const heaviest = largest[0]?.bytes || 1;
  const rows = largest
    .map(
      ({ path, bytes }) =>
        `<tr><td><a href="${escapeAttribute(encodeURI(path))}">${escapeText(path)}</a></td>` +
        `<td class="number">${kilobytes(bytes)}</td>` +
        `<td class="bar"><meter min="0" max="${heaviest}" value="${bytes}" aria-label="Share of the heaviest page"></meter></td></tr>`,
    )
    .join('');
  return (
    '<section><h2 id="pages">Heaviest pages</h2><div class="scroll" tabindex="0" role="region" aria-label="Heaviest pages"><table>' +
    '<thead><tr><th>Page</th><th class="number">HTML</th><th><span class="unseen">Compared</span></th></tr></thead>' +
    `<tbody>${rows}</tbody></table></div></section>`
  );
}

function listSection(title: string, id: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const shown = items.slice(0, 200).map((item) => `<li>${escapeText(item)}</li>`);
  return `<section><h2 id="${id}">${title} <span class="count">${items.length}</span></h2><ul class="plain">${shown.join('')}</ul></section>`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
