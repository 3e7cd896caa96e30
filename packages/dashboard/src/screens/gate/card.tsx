/** The card in the middle of the page that whoever is not signed in sees. */
import { DocyardError, leastPasswordCharacters } from '@docyard/api';
import { useEffect, useState, type ReactNode } from 'react';
import { Brand } from '../../parts/brand.tsx';
import { Note } from '../../parts/note.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { span, useNow } from '../../parts/time.tsx';

export function GateCard({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Docyard`;
  }, [title]);
  return (
    <main className="gate">
      <div className="gate-card">
        <Brand />
        <div>
          <h1>{title}</h1>
          <p className="soft">{lead}</p>
        </div>
        {!globalThis.isSecureContext && (
          <Note tone="warn">
            This page came over plain http: whoever is on the way can read your password. Ask whoever runs the
            server for an <code>https</code> address.
          </Note>
        )}
        {children}
      </div>
    </main>
  );
}

/** The card before it is known what belongs into it. */
export function GateSkeleton() {
  return (
    <main className="gate">
      <div className="gate-card">
        <Brand />
        <Waiting lines={5} />
      </div>
    </main>
  );
}

/** Why it did not work; and after too many attempts, how long until the next one counts. */
export function GateProblem({ error, besides = [] }: { error: unknown; besides?: readonly string[] }) {
  const [receivedAtMs, setReceivedAtMs] = useState(Date.now);
  useEffect(() => setReceivedAtMs(Date.now()), [error]);
  const nowMs = useNow(1000);
  if (error === null) return null;
  const waitSeconds =
    error instanceof DocyardError && error.code === 'rate_limited' ? (error.retryAfterSeconds ?? 0) : 0;
  if (waitSeconds === 0) return <Problem error={error} besides={besides} />;
  const leftSeconds = Math.ceil(waitSeconds - Math.max(0, nowMs - receivedAtMs) / 1000);
  return (
    <div role="alert" tabIndex={-1}>
      <Note tone="warn">
        There were too many attempts.{' '}
        {leftSeconds > 0 ? `Try again in ${span(leftSeconds * 1000)}.` : 'You can try again now.'}
      </Note>
    </div>
  );
}

/** What follows the `#`: it never reaches a server by itself, and is taken out of the address at once. */
export function useFragment(): string {
  const [text] = useState(() => globalThis.location.hash.slice(1));
  useEffect(() => {
    const { hash, pathname } = globalThis.location;
    if (hash !== '') globalThis.history.replaceState(null, '', pathname);
  }, []);
  return text;
}

/** Told while the password is being thought up, not after it was refused. */
export function passwordAdvice(password: string): string {
  const missing = leastPasswordCharacters - password.length;
  if (missing === leastPasswordCharacters)
    return `At least ${leastPasswordCharacters} characters. Several words are easier to keep in mind than signs.`;
  if (missing > 0) return `${missing} more ${missing === 1 ? 'character' : 'characters'}.`;
  if (new Set(password).size < 6) return 'Long enough, but it repeats itself. Others try that first.';
  return missing > -4 ? 'Long enough. A few more make it better.' : 'Good and long.';
}
