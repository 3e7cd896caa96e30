/** Why an instruction was refused. When no model is set, what to set and where. */
import { DocyardError } from '@docyard/api';
import { Link } from 'wouter';
import { useMay } from '../../session/session.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Note } from '../../parts/note.tsx';
import { Problem } from '../../parts/problem.tsx';

export function InstructionProblem({ error, projectId }: { error: unknown; projectId: string }) {
  const mayChange = useMay('projects:write');
  if (!(error instanceof DocyardError) || error.code !== 'agent_not_configured')
    return <Problem error={error} besides={['prompt', 'source']} />;
  return (
    <div role="alert" className="form" tabIndex={-1}>
      <Note tone="warn">
        <p className="outcome-head">No model is set, so nobody can do the work.</p>
        <p>
          {mayChange ? (
            <>
              <Link to={`/projects/${projectId}?tab=agent`}>Give the project a model endpoint</Link>, or let
              the operator set one for all projects:
            </>
          ) : (
            'Ask an administrator for a model endpoint in the settings of the project, or the operator for one of all projects:'
          )}
        </p>
      </Note>
      <CodeBlock label="settings of the server" text={serverSettings} />
    </div>
  );
}

const serverSettings = `MODEL_URL=https://models.example.com/v1 \\
MODEL_NAME=writer-large \\
MODEL_KEY_FILE=/run/secrets/model-key \\
docyard serve`;
