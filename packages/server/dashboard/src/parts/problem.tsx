/** What went wrong, in the words of the server, and what can be done about it. */
import { problemOf } from '../app/client.ts';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';

export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, requestId } = problemOf(error);
  return (
    <div className="note note-bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{message}</p>
        {requestId !== undefined && (
          <p className="note-small">
            Request <span className="mono">{requestId}</span>; the log of the server has the rest.
          </p>
        )}
      </div>
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}
