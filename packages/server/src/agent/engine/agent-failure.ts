/** Explains why an external agent failed, from its answers, its exit status and what it wrote to standard error. */
import { stripVTControlCharacters } from 'node:util';
import { RequestError } from '@agentclientprotocol/sdk';
import type { EndReason } from '../contract.ts';
import { objectOf, textOf } from '../model/json-fields.ts';
import { looksSecret } from '../policy/secrets.ts';
import type { SandboxedProcess } from './sandbox.ts';

export class AcpError extends Error {
  override name = 'AcpError';
  readonly reason: EndReason;

  constructor(reason: EndReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export const authRequired = -32_000;
const maxOutputBytes = 64_000_000;
const maxAnswerCharacters = 500;

export interface FailureWatch {
  /** Rejects with an AcpError if the process ends or writes too much. */
  happened: Promise<never>;
  explain(cause: unknown): Promise<AcpError>;
}

export function watchForFailure(child: SandboxedProcess): FailureWatch {
  const complaint = readComplaint(child.stderr);
  let size = 0;
  child.stdin.on('error', () => undefined);
  const ended = Promise.withResolvers<AcpError>();
  child.once('error', (error) => {
    ended.resolve(new AcpError('internal', 'The agent could not be started.', { cause: error }));
  });
  child.once('close', (code) => {
    const how = code === null ? 'was killed' : `exited with status ${code}`;
    const message = `The agent ${how} before its work was done. ${complaint()}`.trim();
    ended.resolve(new AcpError('model_unavailable', message));
  });
  child.stdout.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size > maxOutputBytes) {
      ended.resolve(new AcpError('budget', `The agent wrote more than ${maxOutputBytes} bytes.`));
    }
  });
  const happened = ended.promise.then((error) => Promise.reject(error));
  happened.catch(() => undefined);
  return {
    happened,
    async explain(cause) {
      if (cause instanceof AcpError) return cause;
      if (cause instanceof RequestError) {
        const reason = cause.code === authRequired ? 'model_auth' : 'model_unavailable';
        const answer = explainAnswer(cause);
        const more = answer === cause.message ? complaint() : '';
        return new AcpError(reason, `The agent answered: ${answer} ${more}`.trim(), { cause });
      }
      // The connection closes shortly before the process, whose exit status says more.
      const waited = new Promise<undefined>((resolve) => void setTimeout(resolve, 500, undefined));
      const known = await Promise.race([ended.promise, waited]);
      return known ?? new AcpError('model_unavailable', 'The agent sent an invalid response.', { cause });
    },
  };
}

/** Many agents say only `Internal error` in the message and the reason in the data. */
export function explainAnswer({ message, data }: Pick<RequestError, 'message' | 'data'>): string {
  const { message: reason, details } = objectOf(data) ?? {};
  const parts = [data, reason, details].map((part) => textOf(part) ?? '');
  const all = [message, ...parts.filter((part) => part !== '' && !message.includes(part))];
  return withoutCredential([...new Set(all)].join(': ').slice(0, maxAnswerCharacters));
}

const maxLineCharacters = 300;
const maxUnfinishedCharacters = 8000;
const maxFirstLines = 2;

/** The first lines that name a problem and the last one; without any, the first lines and the last one. */
function readComplaint(stream: SandboxedProcess['stderr']): () => string {
  const problems = createExcerpt();
  const others = createExcerpt();
  let unfinished = '';
  function read(line: string): void {
    const text = visibleText(line);
    if (isNoise(text)) return;
    (namesProblem(text) ? problems : others).add(text.trim().slice(0, maxLineCharacters));
  }
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (unfinished + text).split('\n');
    unfinished = (lines.pop() ?? '').slice(-maxUnfinishedCharacters);
    lines.forEach(read);
  });
  return () => {
    read(unfinished);
    unfinished = '';
    const lines = problems.lines().length > 0 ? problems.lines() : others.lines();
    return lines.map(withoutCredential).join(' ');
  };
}

function createExcerpt() {
  const first: string[] = [];
  let last = '';
  return {
    add(line: string): void {
      if (first.includes(line)) return;
      if (first.length < maxFirstLines) first.push(line);
      else last = line;
    },
    lines: (): string[] => (last === '' ? first : [...first, last]),
  };
}

/** A progress bar overwrites its line again and again. */
function visibleText(line: string): string {
  const plain = stripVTControlCharacters(line).trimEnd();
  return plain.slice(plain.lastIndexOf('\r') + 1);
}

/** Frames of a stack and quoted code are indented. */
function isNoise(line: string): boolean {
  if (line === '' || /^(?:\s|\(node:|\(Use `node|Node\.js v|Traceback \()/.test(line)) return true;
  const letters = line.replaceAll(/[^\p{L}]/gu, '').length;
  const visible = line.replaceAll(/\s/g, '').length;
  return letters * 2 < visible || (/\d ?%/.test(line) && !namesProblem(line));
}

const problemWords =
  /error|exception|fail|denied|invalid|missing|cannot|can't|unable|unauthori|refused|required|not found|no such|unsupported|panic/i;

function namesProblem(line: string): boolean {
  return problemWords.test(line);
}

function withoutCredential(text: string): string {
  return looksSecret(text, []) ? '(Text that resembles a credential was removed.)' : text;
}
