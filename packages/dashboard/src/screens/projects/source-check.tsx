/** Checks a source while it is typed. */
import type { CheckSource, SourceCheck } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';
import { Problem } from '../../parts/problem.tsx';
import { counted } from '../../parts/time.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';

/** Each check fetches a repository, so wait until typing stops. */
const settledMs = 800;

/** `isWanted` is false for a source that is already saved. */
export function useSourceCheck(body: CheckSource, isWanted = true) {
  const settledBody = useSettled(JSON.stringify(body), settledMs);
  const isSettled = settledBody === JSON.stringify(body);
  const isPlausible = isWanted && looksWhole(body.source.repository);
  const check = useQuery({
    queryKey: ['source-check', settledBody],
    queryFn: ({ signal }) =>
      client.call('checkSource', { body: JSON.parse(settledBody) as CheckSource }, { signal }),
    enabled: isPlausible && isSettled,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  return {
    state: !isPlausible
      ? ('idle' as const)
      : !isSettled || check.isFetching
        ? ('busy' as const)
        : ('checked' as const),
    result: isSettled ? check.data : undefined,
    error: isSettled ? check.error : null,
    again: () => void check.refetch(),
  };
}

function looksWhole(repository: string): boolean {
  return /^(?:https?|file):\/\/[^/\s]*\/\S+/.test(repository) || /^(?:\/|[A-Za-z]:[\\/])\S/.test(repository);
}

function useSettled(value: string, afterMs: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}

export function SourceChecklist({ check }: { check: ReturnType<typeof useSourceCheck> }) {
  const { state, result, error, again } = check;
  return (
    <div className="source-check" aria-live="polite">
      {state === 'idle' && <p className="faint">The source is checked as soon as you enter an address.</p>}
      {state === 'busy' && (
        <Line mark={<span className="spinner" aria-hidden="true" />}>
          Fetching the source and counting its pages…
        </Line>
      )}
      {state === 'checked' && error !== null && <Problem error={error} retry={again} />}
      {state === 'checked' && result !== undefined && <Result result={result} again={again} />}
    </div>
  );
}

function Result({ result, again }: { result: SourceCheck; again: () => void }) {
  const { commit, configFile, name, pages, problem } = result;
  return (
    <>
      {(commit !== null || configFile !== null) && (
        <Line mark={<Icon name="check" />} tone="good">
          {commit === null ? (
            'The folder exists'
          ) : (
            <>
              Fetched, at commit <code>{commit.slice(0, 10)}</code>
            </>
          )}
        </Line>
      )}
      {configFile !== null && (
        <Line mark={<Icon name="check" />} tone="good">
          <code>{configFile}</code>
          {name !== null && <> of “{name}”</>}
        </Line>
      )}
      {pages > 0 && (
        <Line mark={<Icon name="check" />} tone="good">
          {counted(pages, 'page')}
        </Line>
      )}
      {problem !== null && (
        <Line mark={<Icon name="warning" />} tone="bad">
          <TextWithCode text={problem.message} />
          {problem.hint !== null && (
            <span className="field-hint">
              <TextWithCode text={problem.hint} />
            </span>
          )}{' '}
          <button type="button" className="link-button" onClick={again}>
            Look again
          </button>
        </Line>
      )}
    </>
  );
}

function Line({ mark, tone, children }: { mark: ReactNode; tone?: 'good' | 'bad'; children: ReactNode }) {
  return (
    <p className={tone === undefined ? 'source-line' : `source-line source-${tone}`}>
      {mark}
      <span>{children}</span>
    </p>
  );
}
