/** The quality report as SARIF 2.1.0, which code hosts show beside the lines of a change. */
import { createHash } from 'node:crypto';
import { placesOf } from './aggregate.ts';
import { diagnosticCodes } from '../model/finding-codes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { SiteReport } from './report.ts';

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

export function reportSarif({ diagnostics }: Pick<SiteReport, 'diagnostics'>, version: string): string {
  const rules = Object.entries(diagnosticCodes).map(([id, text]) => ({ id, shortDescription: { text } }));
  const ruleIndex = new Map(rules.map(({ id }, index) => [id, index]));
  const run = {
    tool: { driver: { name: 'Docyard', semanticVersion: version, rules } },
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { SITE: { description: { text: 'The folder that holds docs.json.' } } },
    results: diagnostics.flatMap(placesOf).map((diagnostic) => resultOf(diagnostic, ruleIndex)),
  };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return `${JSON.stringify(log, null, 1)}\n`;
}

function resultOf(diagnostic: Diagnostic, ruleIndex: ReadonlyMap<string, number>) {
  const { code, severity, message, hint, file, line, column } = diagnostic;
  const index = ruleIndex.get(code);
  const physicalLocation = {
    artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'SITE' },
    ...(line === undefined
      ? {}
      : { region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } }),
  };
  return {
    ruleId: code,
    ...(index === undefined ? {} : { ruleIndex: index }),
    level: levels[severity],
    message: { text: hint === undefined ? `${message}.` : `${message}. ${hint}` },
    locations: file === '' ? [] : [{ physicalLocation }],
    partialFingerprints: { 'finding/v1': fingerprintOf(diagnostic) },
  };
}

/** Independent of the line, so that a moved finding keeps its identity. */
function fingerprintOf({ file, code, message }: Diagnostic): string {
  return createHash('sha256')
    .update(JSON.stringify([file, code, message]))
    .digest('hex')
    .slice(0, 32);
}
