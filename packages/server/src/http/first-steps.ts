/**
 * The lines that take a newcomer from a running server to a downloaded bundle. They need only a shell and curl.
 */
export const sampleDomain = 'handbook.example.com';

export function exportFlow(input: { origin: string; key: string | undefined }): string {
  const { origin, key } = input;
  const header = '-H "Authorization: Bearer $DOCYARD_KEY"';
  const jobs = `${origin}/v1/static-export/jobs`;
  return [
    `export DOCYARD_KEY=${key ?? 'docyard_…'}`,
    `JOB=$(curl -s -X POST ${jobs} ${header} -H 'Content-Type: application/json' -d '{"domain":"${sampleDomain}"}' | sed 's/.*"jobId":"\\([^"]*\\)".*/\\1/')`,
    `until curl -s ${jobs}/$JOB ${header} -H 'Prefer: wait=30' | grep -E '"status":"(completed|failed)"'; do sleep 1; done`,
    `curl -s -X POST ${jobs}/$JOB/bundle ${header}`,
    `curl -sL ${jobs}/$JOB/bundle ${header} -o bundle.tar.gz`,
    'mkdir -p site && tar -xzf bundle.tar.gz -C site && ls site/index.html',
  ].join('\n');
}
