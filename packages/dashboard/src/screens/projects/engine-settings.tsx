import { agentEngines, type Project } from '@docyard/api';
import { ApiCall } from '../../parts/api-call.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/page.tsx';
import { SaveRow } from './save-row.tsx';
import { useProjectForm } from './project-form.ts';

type Engine = (typeof agentEngines)[number];

interface EngineForm {
  engine: Engine | 'default';
}

const engineNames: Record<Engine, string> = {
  builtin: 'Built-in engine',
  external: 'External agent',
};

export function EngineSettings({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, (fields) => ({ agent: agentOf(fields) }));
  const { form, set } = edit;
  const option = form.engine === 'default' ? '--no-engine' : `--engine ${form.engine}`;
  return (
    <Panel title="Engine">
      <Form error={edit.error} onSubmit={edit.submit}>
        <SelectField
          label="What edits the files"
          value={form.engine}
          onChange={(engine) => set({ engine })}
          choices={[
            { value: 'default' as const, label: 'Default of the installation' },
            ...agentEngines.map((value) => ({ value, label: engineNames[value] })),
          ]}
          hint="The operator sets the external agent with AGENT_COMMAND. It is the default if it is set."
          path="agent.engine"
        />
        <SaveRow edit={edit} labels={{ engine: 'What edits the files' }} />
      </Form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={{ agent: agentOf(form) }}
        command={`docyard projects agent ${project.domain} ${option}`}
      />
    </Panel>
  );
}

function formOf({ agent }: Project): EngineForm {
  return { engine: agent.engine ?? 'default' };
}

function agentOf({ engine }: EngineForm) {
  return { engine: engine === 'default' ? null : engine };
}
