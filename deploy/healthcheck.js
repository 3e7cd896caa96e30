#!/usr/local/bin/node
// `docyard-healthcheck`, the health check of both images: exits with 0 while the process in the container responds.
const port = process.env.STATUS_PORT || process.env.PORT;
fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) })
  .then(({ ok }) => process.exit(ok ? 0 : 1))
  .catch(() => process.exit(1));
