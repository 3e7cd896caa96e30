/** Prints findings as GitHub Actions annotations when GITHUB_ACTIONS is set. */
import { join, relative, resolve } from 'node:path';
import type { Diagnostic, DocyardClient, ExportJob } from '@docyard/api';

/** GitHub shows ten annotations of a kind per step; more only lengthen the log. */
const maxAnnotations = 50;

/** `folder` contains the files of the findings, below the checkout. */
export function annotate(findings: readonly Diagnostic[], folder: string, environment = process.env): void {
  if (environment['GITHUB_ACTIONS'] !== 'true') return;
  const checkout = environment['GITHUB_WORKSPACE'] ?? process.cwd();
  const grave = findings.filter(({ severity }) => severity !== 'info').slice(0, maxAnnotations);
  for (const finding of grave) {
    const file = relative(checkout, resolve(checkout, folder, finding.file));
    process.stderr.write(`${annotationOf({ ...finding, file })}\n`);
  }
}

function annotationOf({ severity, code, message, file, line, column, hint }: Diagnostic): string {
  const properties = [
    ...(file === '' ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    ...(column === undefined ? [] : [`col=${column}`]),
    `title=${property(code)}`,
  ];
  const kind = severity === 'info' ? 'notice' : severity;
  return `::${kind} ${properties.join(',')}::${data(hint === undefined ? message : `${message}. ${hint}`)}`;
}

/** A job that failed because of findings has a report; other failures may have a location. */
export async function annotateFailure(client: DocyardClient, job: ExportJob): Promise<void> {
  if (process.env['GITHUB_ACTIONS'] !== 'true' || job.failure === null) return;
  const { jobId, failure, source } = job;
  const folder = join(source.directory ?? '', '.');
  if (failure.code === 'strict_failed') {
    const report = await client.call('readReport', { params: { jobId } }).catch(() => undefined);
    if (report !== undefined) return annotate(report.diagnostics, folder);
  }
  const { code, message, file, line, hint } = failure;
  annotate(
    [
      {
        severity: 'error',
        code,
        message,
        file: file ?? '',
        ...(line === null ? {} : { line }),
        ...(hint === null ? {} : { hint }),
      },
    ],
    folder,
  );
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
