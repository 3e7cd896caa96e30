/**
 * What separates the processes that read strangers' files from this machine: tried once for each process of ours, told to
 * whoever asks, and held against what the operator insists on.
 */
import { givesUpRoot, type Confinement, type Shelter } from './launch.ts';
import { findOwnFiles, type OwnFiles } from './own-files.ts';
import { escapes, probe, type Escape } from './probe.ts';

export type IsolationLevel = 0 | 1 | 2 | 3;

export interface Isolation extends Shelter {
  level: IsolationLevel;
  /** For everybody: what holds, and the name of what is missing. */
  statement: string;
  /** What was said by what failed; for the operator alone. */
  complaint: string | null;
}

let found: Promise<Isolation> | undefined;
let ownFiles: Promise<OwnFiles> | undefined;

/** The same for the life of this process. */
export function findIsolation(): Promise<Isolation> {
  found ??= tryEach(process.platform === 'linux' ? confinements : []).catch(untried);
  return found;
}

/** Without a folder for temporary files, for example. */
function untried(error: unknown): Isolation {
  const statement = statementOf(0, 'the walls of this machine could not be tried');
  const own = { setpriv: undefined, prlimit: undefined, paths: [] };
  return { level: 0, statement, complaint: String(error), confinement: unconfined, own };
}

/** From the tightest on: the first that starts and holds at all is used. */
const confinements: readonly Confinement[] = [
  { walls: true, filter: true, limits: true },
  { walls: true, filter: false, limits: true },
  { walls: false, filter: false, limits: true },
];
export const unconfined: Confinement = { walls: false, filter: false, limits: false };

export async function tryEach(choices: readonly Confinement[]): Promise<Isolation> {
  const found = await (ownFiles ??= findOwnFiles());
  let whyNoWalls = `there is no bubblewrap for ${process.platform}`;
  let complaint: string | null = null;
  for (const { confinement, own } of choices.flatMap((choice) => sheltersOf(choice, found))) {
    const outcome = await probe({ confinement, own });
    if ('failed' in outcome) {
      if (confinement.walls) ({ failed: whyNoWalls, complaint } = outcome);
      continue;
    }
    const level = levelOf(confinement, outcome.escapes);
    const missing = confinement.walls ? sentenceOf(outcome.escapes) : whyNoWalls;
    if (level > 0) return { level, statement: statementOf(level, missing), complaint, confinement, own };
  }
  return { level: 0, statement: statementOf(0, whyNoWalls), complaint, confinement: unconfined, own: found };
}

function sentenceOf(escaped: readonly Escape[]): string {
  return escaped.map((name) => escapes[name]).join(', ');
}

/** Root gives itself up by `setpriv`; in a container that knows no other user, a namespace of users must do. */
function sheltersOf(confinement: Confinement, own: OwnFiles): Shelter[] {
  const first = { confinement, own };
  return givesUpRoot(first) ? [first, { confinement, own: { ...own, setpriv: undefined } }] : [first];
}

const throughWalls: readonly Escape[] = ['files', 'writing', 'processes', 'network', 'descriptors'];

function levelOf({ walls }: Confinement, escaped: readonly Escape[]): IsolationLevel {
  if (walls && !throughWalls.some((name) => escaped.includes(name))) return escaped.length === 0 ? 3 : 2;
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
