/** Why an instruction was refused. Without a model, links to the setting. */
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
        <p className="outcome-head">No model is configured.</p>
        <p>
          {mayChange ? (
            <>
              <Link to={`/projects/${projectId}?tab=agent`}>Configure a model for the project</Link>, or ask
              the operator to configure one for all projects:
            </>
          ) : (
            'Ask an administrator to configure a model for the project, or the operator to configure one for all projects:'
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
