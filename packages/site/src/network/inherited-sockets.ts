/**
 * Sockets that systemd opened for this process (sd_listen_fds). They stay open during a restart, so that no
 * connection is refused.
 */

export interface InheritedSockets {
  /** Descriptors of the port of the site. */
  site: readonly number[];
  status: number | undefined;
  redirect: number | undefined;
}

const firstDescriptor = 3;
const maxDescriptors = 64;

/** Undefined without socket activation, or when the variables are for another process. */
export function inheritedSockets(
  environment: Readonly<Record<string, string | undefined>>,
  pid: number = process.pid,
): InheritedSockets | undefined {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = environment;
  const count = Number(LISTEN_FDS);
  if (Number(LISTEN_PID) !== pid || !Number.isInteger(count) || count < 1 || count > maxDescriptors)
    return undefined;
  const names = LISTEN_FDNAMES.split(':');
  const named = Array.from({ length: count }, (_, index) => ({
    name: names[index],
    descriptor: firstDescriptor + index,
  }));
  const find = (wanted: string) => named.find(({ name }) => name === wanted)?.descriptor;
  return {
    site: named
      .filter(({ name }) => name !== 'status' && name !== 'redirect')
      .map(({ descriptor }) => descriptor),
    status: find('status'),
    redirect: find('redirect'),
  };
}
