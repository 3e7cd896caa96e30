#!/usr/local/bin/node
// `docyard-healthcheck [PATH]`, the health check of both images: exits with 0 while the process in the container responds, or
// with `/readyz` while it is ready.
const port = process.env.STATUS_PORT || process.env.PORT;
const [path = '/healthz'] = process.argv.slice(2);
fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(4000) })
  .then(({ ok }) => process.exit(ok ? 0 : 1))
  .catch(() => process.exit(1));
