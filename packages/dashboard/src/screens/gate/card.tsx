import { DocyardError, minPasswordCharacters } from '@docyard/api';
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
            This page is not encrypted: others on the network can read your password. Ask the operator of the
            server for an <code>https</code> address.
          </Note>
        )}
        {children}
      </div>
    </main>
  );
}

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
        Too many attempts.{' '}
        {leftSeconds > 0 ? `Try again in ${span(leftSeconds * 1000)}.` : 'You can try again now.'}
      </Note>
    </div>
  );
}

/** Reads the token from the URL fragment, which is not sent to the server, and removes it from the address bar. */
export function useFragment(): string {
  const [text] = useState(() => globalThis.location.hash.slice(1));
  useEffect(() => {
    const { hash, pathname } = globalThis.location;
    if (hash !== '') globalThis.history.replaceState(null, '', pathname);
  }, []);
  return text;
}

export function passwordAdvice(password: string): string {
  const missing = minPasswordCharacters - password.length;
  if (missing === minPasswordCharacters)
    return `At least ${minPasswordCharacters} characters. Several words are easier to memorize than symbols.`;
  if (missing > 0) return `${missing} more ${missing === 1 ? 'character' : 'characters'}.`;
  if (new Set(password).size < 6) return 'Long enough, but repetitive, which is easy to guess.';
  return missing > -4 ? 'Long enough. A few more characters make it stronger.' : 'Good and long.';
}
