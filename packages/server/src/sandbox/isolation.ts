/** Determines which restrictions work on this machine by probing them once per process. */
import { givesUpRoot, type Confinement, type SandboxSetup } from './launch.ts';
import { findRuntimeFiles, type RuntimeFiles } from './runtime-files.ts';
import { escapes, probe, type Escape } from './probe.ts';

export type IsolationLevel = 0 | 1 | 2 | 3;

export interface Isolation extends SandboxSetup {
  level: IsolationLevel;
  /** Public: the effective restrictions and the missing ones. */
  statement: string;
  /** The error output of the failed probe, for the operator only. */
  complaint: string | null;
}

let found: Promise<Isolation> | undefined;
let runtimeFiles: Promise<RuntimeFiles> | undefined;

/** Cached for the life of the process. */
export function findIsolation(): Promise<Isolation> {
  found ??= tryEach(process.platform === 'linux' ? confinements : []).catch(notProbed);
  return found;
}

/** For example without a folder for temporary files. */
function notProbed(error: unknown): Isolation {
  const statement = statementOf(0, 'isolation could not be probed');
  const runtime = { setpriv: undefined, prlimit: undefined, paths: [] };
  return { level: 0, statement, complaint: String(error), confinement: unconfined, runtime };
}

/** From the strictest to the weakest: the first that starts and holds is used. */
const confinements: readonly Confinement[] = [
  { namespaces: true, seccomp: true, limits: true },
  { namespaces: true, seccomp: false, limits: true },
  { namespaces: false, seccomp: false, limits: true },
];
export const unconfined: Confinement = { namespaces: false, seccomp: false, limits: false };

export async function tryEach(choices: readonly Confinement[]): Promise<Isolation> {
  const found = await (runtimeFiles ??= findRuntimeFiles());
  let whyNoNamespaces = `there is no bubblewrap for ${process.platform}`;
  let complaint: string | null = null;
  for (const { confinement, runtime } of choices.flatMap((choice) => setupsOf(choice, found))) {
    const outcome = await probe({ confinement, runtime });
    if ('failed' in outcome) {
      if (confinement.namespaces) ({ failed: whyNoNamespaces, complaint } = outcome);
      continue;
    }
    const level = levelOf(confinement, outcome.escapes);
    const missing = confinement.namespaces ? sentenceOf(outcome.escapes) : whyNoNamespaces;
    if (level > 0) return { level, statement: statementOf(level, missing), complaint, confinement, runtime };
  }
  return {
    level: 0,
    statement: statementOf(0, whyNoNamespaces),
    complaint,
    confinement: unconfined,
    runtime: found,
  };
}

function sentenceOf(escaped: readonly Escape[]): string {
  return escaped.map((name) => escapes[name]).join(', ');
}

/**
 * Root drops its privileges with `setpriv`; in a container that maps no other user, a user namespace is the
 * fallback.
 */
function setupsOf(confinement: Confinement, runtime: RuntimeFiles): SandboxSetup[] {
  const first = { confinement, runtime };
  return givesUpRoot(first) ? [first, { confinement, runtime: { ...runtime, setpriv: undefined } }] : [first];
}

const namespaceEscapes: readonly Escape[] = ['files', 'writing', 'processes', 'network', 'descriptors'];

function levelOf({ namespaces }: Confinement, escaped: readonly Escape[]): IsolationLevel {
  if (namespaces && !namespaceEscapes.some((name) => escaped.includes(name)))
    return escaped.length === 0 ? 3 : 2;
  return escaped.includes('memory') ? 0 : 1;
}

function statementOf(level: IsolationLevel, missing: string): string {
  switch (level) {
    case 3:
      return 'Full: no network, no files or processes of this machine, few system calls, limited memory.';
    case 2:
      return `Partial: no network, no files or processes of this machine, but ${missing}.`;
    case 1:
      return `Interpreter only: memory is limited, but ${missing}.`;
    case 0:
      return `Interpreter only, as the same user: ${missing}.`;
  }
}
