/** An error message with its request id and a retry button. */
import { DocyardError } from '@docyard/api';
import { problemOf } from '../api/client.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { TextWithCode } from './text-with-code.tsx';

interface ProblemProps {
  error: unknown;
  retry?: () => void;
  /** Paths of fields that show their own messages. */
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
          <TextWithCode text={message} />
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
