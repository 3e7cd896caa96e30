/** Checks the codes of findings that requests name. */
import { Problem } from '../problem.ts';

/** With an unknown code, nothing would ever fail. `path` is that of the field in the request. */
export async function refuseUnknownFindings(failOn: readonly string[], path: string): Promise<void> {
  const { unknownFindings } = await import('@docyard/render/report');
  const unknown = new Set(unknownFindings(failOn));
  if (unknown.size === 0) return;
  const details = failOn.flatMap((name, index) =>
    unknown.has(name) ? [{ path: `${path}.${index}`, message: `There is no finding ${name}.` }] : [],
  );
  const hint = 'Use error, warning, info or a code from the findings page of the manual.';
  throw new Problem('invalid_request', `${details[0]?.message ?? ''} ${hint}`, { details });
}
