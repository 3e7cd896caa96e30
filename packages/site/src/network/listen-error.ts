/** Messages for an address at which a server cannot listen. */

interface ListenError extends NodeJS.ErrnoException {
  address?: string;
  hostname?: string;
  port?: number;
}

/** Undefined for other errors. */
export function explainListenError(error: unknown): string | undefined {
  const { code, syscall, address, hostname, port } = error as ListenError;
  if (syscall !== 'listen' && syscall !== 'bind' && syscall !== 'getaddrinfo') return undefined;
  const at = `${address ?? hostname ?? ''}${port === undefined ? '' : `:${port}`}`;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use. Stop the other process or pass --port.`;
    case 'EACCES':
      return `Cannot listen on ${at}: permission denied (EACCES). Pass a --port above 1023.`;
    case 'EADDRNOTAVAIL':
      return `Cannot listen on ${at}: this machine does not have the address (EADDRNOTAVAIL). Pass another --host.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `Cannot listen on ${at}: the host name is unknown (${code}). Pass another --host.`;
    default:
      return `Cannot listen on ${at} (${code}). Pass another --host or --port.`;
  }
}
