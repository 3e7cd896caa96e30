import { describe, expect, it } from 'vitest';
import { diagnosticCodes } from '../model/finding-codes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { reportJunit } from './junit.ts';
import { reportHtml } from './report-html.ts';
import { reportMarkdown } from './report-markdown.ts';
import { buildReport, countingFindings, isNewSince, narrowReport, unknownFindings } from './report.ts';
import { reportSarif } from './sarif.ts';

const findings: Diagnostic[] = [
  { severity: 'info', code: 'orphan_page', message: 'Nothing leads here', file: 'c d.mdx' },
  {
    severity: 'warning',
    code: 'broken_link',
    message: 'A "<link>" & more\u0007',
    file: 'a.mdx',
    line: 3,
    column: 5,
    hint: 'Fix it',
  },
  { severity: 'error', code: 'mdx_syntax', message: 'Not MDX', file: 'a.mdx', line: 9 },
];
const weights = ['a', 'b', 'c d'].map((name) => ({ path: `${name}.html`, file: `${name}.mdx`, bytes: 10 }));
const report = buildReport(findings, { weights, orphans: ['c d.mdx'] });

it('the report counts findings and lists the most severe first', () => {
  expect(report).toMatchObject({ format: 1, pages: 3, errors: 1, warnings: 1, infos: 1, truncated: false });
  expect(report.diagnostics.map(({ severity }) => severity)).toEqual(['error', 'warning', 'info']);
  expect(report.byCode).toEqual({ broken_link: 1, mdx_syntax: 1, orphan_page: 1 });
});

describe('findings that count against a site', () => {
  it.each([
    [[], []],
    [['error'], ['mdx_syntax']],
    [['warning'], ['mdx_syntax', 'broken_link']],
    [['info'], ['mdx_syntax', 'broken_link', 'orphan_page']],
    [['orphan_page'], ['orphan_page']],
    [
      ['error', 'orphan_page'],
      ['mdx_syntax', 'orphan_page'],
    ],
  ])('the filter %j selects its findings', (failOn, expected) => {
    expect(countingFindings(report.diagnostics, failOn).map(({ code }) => code)).toEqual(expected);
  });

  it('unknown names of findings are detected', () => {
    expect(unknownFindings(['error', 'broken_link', 'toString', 'broken'])).toEqual(['toString', 'broken']);
  });
});

it('only findings missing from an earlier report remain, independent of their line', () => {
  const moved = findings.map((finding) => ({ ...finding, line: 99 }));
  const again = { ...(findings[1] as Diagnostic), line: 100 };
  const now = buildReport([...moved, again], { weights, orphans: [] });
  expect(narrowReport(now, isNewSince(findings))).toMatchObject({ warnings: 1, byCode: { broken_link: 1 } });
});

describe('SARIF', () => {
  const log = JSON.parse(reportSarif(report, '1.2.3')) as {
    version: string;
    runs: { tool: { driver: { rules: { id: string }[] } }; results: Record<string, unknown>[] }[];
  };
  const [run] = log.runs;

  it('SARIF lists every code as a rule, and each result names its rule', () => {
    expect(log.version).toBe('2.1.0');
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(Object.keys(diagnosticCodes));
    for (const { ruleId, ruleIndex } of run?.results ?? [])
      expect(run?.tool.driver.rules[ruleIndex as number]?.id).toBe(ruleId);
  });

  it('SARIF results have levels, relative addresses and regions', () => {
    expect(run?.results).toMatchObject([
      { level: 'error', locations: [{ physicalLocation: { region: { startLine: 9 } } }] },
      {
        level: 'warning',
        message: { text: 'A "<link>" & more\u0007. Fix it' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'a.mdx', uriBaseId: 'SITE' },
              region: { startLine: 3, startColumn: 5 },
            },
          },
        ],
      },
      { level: 'note', locations: [{ physicalLocation: { artifactLocation: { uri: 'c%20d.mdx' } } }] },
    ]);
    expect(run?.results[2]).not.toHaveProperty('locations.0.physicalLocation.region');
  });

  it('SARIF fingerprints do not depend on the line', () => {
    const moved = buildReport([{ ...(findings[1] as Diagnostic), line: 77 }], { weights, orphans: [] });
    const prints = (text: string) => [...text.matchAll(/"finding\/v1": "(\w+)"/g)].map(([, print]) => print);
    expect(prints(reportSarif(report, '1'))).toContain(prints(reportSarif(moved, '1'))[0]);
  });
});

describe('JUnit', () => {
  const xml = reportJunit(report, ['warning']);

  it('JUnit has a suite for each file, and a page without findings passes', () => {
    expect(
      xml.startsWith(
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="docyard" tests="4" failures="2"',
      ),
    ).toBe(true);
    expect(xml).toContain('<testcase classname="b.mdx" name="no findings"/>');
    expect(xml).toContain('<testsuite name="a.mdx" tests="2" failures="2" errors="0" skipped="0">');
    expect(xml).toContain('<skipped message="info: Nothing leads here"/>');
  });

  it('JUnit drops characters that XML cannot represent', () => {
    expect(xml).toContain('message="A &quot;&lt;link&gt;&quot; &amp; more"');
    // eslint-disable-next-line no-control-regex
    expect(xml).not.toMatch(/[\u0000-\u0008]/);
  });
});

describe('the HTML report', () => {
  const html = reportHtml(report, 'A <b> site');

  it('the HTML report is self-contained without scripts and escapes all text', () => {
    expect(html).toContain('<h1>A &lt;b&gt; site</h1>');
    expect(html).toContain('A "&lt;link&gt;" &amp; more');
    expect(html).not.toMatch(/<script|\son\w+=|style="|https?:/);
    expect(html).toContain('<meta name="robots" content="noindex">');
  });

  it('the HTML report of a site without findings says so', () => {
    expect(reportHtml(buildReport([], { weights, orphans: [] }), 'S')).toContain('No findings.');
  });
});

describe('Markdown', () => {
  it('the Markdown report counts findings and lists the most severe first with their place', () => {
    expect(reportMarkdown(report).split('\n').slice(0, 5)).toEqual([
      '**3 pages: 1 error, 1 warning, 1 note.**',
      '',
      '| Severity | Place | Finding | Code |',
      '|---|---|---|---|',
      '| 🔴 error | a.mdx&#58;9 | Not MDX | mdx&#95;syntax |',
    ]);
  });

  it('the Markdown report of a site without findings is one line', () => {
    const clean = buildReport([], { weights: [], orphans: [] });
    expect(reportMarkdown(clean)).toBe('**0 pages: 0 errors, 0 warnings, 0 notes.**\n');
  });

  it('text of a page never becomes a heading, a cell, a link, a mention or a tag', () => {
    const message = '\n\n# x | @team #1 [a](https://b) <img src=x> `c` *d* ![e](f) www.g.example \u2028';
    const hostile: Diagnostic = { severity: 'error', code: 'mdx_syntax', message, file: '`|a`\n.mdx' };
    const [, , , , row = '', ...rest] = reportMarkdown(
      buildReport([hostile], { weights, orphans: [] }),
    ).split('\n');
    expect(rest).toEqual(['']);
    expect(row.match(/\|/g)).toHaveLength(5);
    expect(row).not.toMatch(/[@[\]<>`*!]|https?:|www\.| #/);
  });

  it('the Markdown report is truncated with a note before build servers cut it', () => {
    const many = Array.from({ length: 60 }, (_, index): Diagnostic => ({
      severity: 'warning',
      code: 'broken_link',
      message: `${index}${'x'.repeat(5000)}`,
      file: `${index}.mdx`,
    }));
    const text = reportMarkdown(buildReport(many, { weights, orphans: [] }));
    expect(text).toContain('… and 10 more');
    expect(text.length).toBeLessThan(50_000);
  });
});
