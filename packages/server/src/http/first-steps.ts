/** A shell script that exports the sample project with curl. */
export const sampleDomain = 'handbook.example.com';

/** `key` is a key, or a shell expression that reads one. */
export function exportFlow(input: { origin: string; key: string | undefined }): string {
  const json = "-H 'Content-Type: application/json'";
  const pick = (field: string) => `sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`;
  return [
    `export DOCYARD_API_KEY=${input.key ?? 'docyard_…'}`,
    `API=${input.origin}/v1/static-export/jobs AUTH="Authorization: Bearer $DOCYARD_API_KEY"`,
    `JOB=$(curl -s -X POST $API -H "$AUTH" ${json} -d '{"domain":"${sampleDomain}"}' | ${pick('jobId')})`,
    `until curl -s $API/$JOB -H "$AUTH" -H 'Prefer: wait=30' | grep -oE '"status":"(completed|failed)"'; do sleep 1; done`,
    `LINK=$(curl -s -X POST $API/$JOB/bundle -H "$AUTH" | ${pick('bundleUrl')})`,
    'curl -s -o bundle.tar.gz "$LINK"',
    'mkdir -p site && tar -xzf bundle.tar.gz -C site && ls site/index.html',
  ].join('\n');
}
