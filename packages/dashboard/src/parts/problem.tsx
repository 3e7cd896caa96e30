/** What went wrong, in the words of the server, and what can be done about it. */
import { DocyardError } from '@docyard/api';
import { problemOf } from '../api/client.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { Words } from './words.tsx';

interface ProblemProps {
  error: unknown;
  retry?: () => void;
  /** Fields of the form that show what is said about them themselves. */
  besides?: readonly string[];
}

export function Problem({ error, retry, besides = [] }: ProblemProps) {
  if (isSaidElsewhere(error, besides)) return null;
  const { message, requestId, status } = problemOf(error);
  return (
    <div className="note note-bad" role="alert" tabIndex={-1}>
      <Icon name="warning" />
      <div>
        <p>
          <Words text={message} />
        </p>
        {requestId !== undefined && status >= 500 && (
          <p className="note-small">
            Request <span className="mono">{requestId}</span>; the log of the server has the rest.
          </p>
        )}
      </div>
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

function isSaidElsewhere(error: unknown, fields: readonly string[]): boolean {
  const details = error instanceof DocyardError ? (error.details ?? []) : [];
  return details.length > 0 && details.every(({ path }) => fields.includes(path.split('.')[0] ?? ''));
}
