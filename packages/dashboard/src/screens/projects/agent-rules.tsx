/** Rules for agent jobs of a project: run limits, protected files and keys, and standing instructions. */
import type { AgentJob, Project } from '@docyard/api';
import { ApiCall } from '../../parts/api-call.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/page.tsx';
import { linesOf } from './lines.ts';
import { SaveRow } from './save-row.tsx';
import { useProjectForm } from './project-form.ts';

type Limit = keyof AgentJob['limits'];

/** In the order of the manual. */
const limits: { name: Limit; label: string; usual: number }[] = [
  { name: 'steps', label: 'Steps', usual: 60 },
  { name: 'minutes', label: 'Minutes', usual: 30 },
  { name: 'inputTokens', label: 'Input tokens', usual: 1_500_000 },
  { name: 'outputTokens', label: 'Output tokens', usual: 60_000 },
  { name: 'files', label: 'Changed files', usual: 50 },
  { name: 'lines', label: 'Changed lines', usual: 5000 },
  { name: 'toolSeconds', label: 'Seconds per tool call', usual: 30 },
];

interface RulesForm {
  limits: Partial<Record<Limit, string>>;
  protectedPaths: string;
  allowedPaths: string;
  allowedConfigKeys: string;
  instructions: string;
}

const ruleLabels = {
  instructions: 'Instructions for every job',
  protectedPaths: 'Protected paths',
  allowedPaths: 'Allowed paths',
  allowedConfigKeys: 'Allowed keys',
};

export function AgentRules({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, (fields) => ({ agent: agentOf(fields) }));
  const { form, set } = edit;
  const body = { agent: agentOf(form) };
  return (
    <Panel title="Rules and limits">
      <Form error={edit.error} onSubmit={edit.submit}>
        <TextField
          label="Instructions for every job"
          optional
          rows={4}
          value={form.instructions}
          onChange={(instructions) => set({ instructions })}
          maxLength={16_000}
          placeholder="Write American English. Address the reader as you."
          hint="In addition to AGENTS.md of the default branch."
          path="agent.instructions"
        />
        <div className="form-row">
          <TextField
            label="Protected paths"
            optional
            mono
            rows={3}
            value={form.protectedPaths}
            onChange={(protectedPaths) => set({ protectedPaths })}
            placeholder={'legal\n**/terms.mdx'}
            hint="Paths, folders or patterns that no job may change, one per line."
            path="agent.protectedPaths"
          />
          <TextField
            label="Allowed paths"
            optional
            mono
            rows={3}
            value={form.allowedPaths}
            onChange={(allowedPaths) => set({ allowedPaths })}
            placeholder="snippets/**"
            hint="Exceptions from the protected files. Prefer files over folders."
            path="agent.allowedPaths"
          />
          <TextField
            label="Allowed keys"
            optional
            mono
            rows={3}
            value={form.allowedConfigKeys}
            onChange={(allowedConfigKeys) => set({ allowedConfigKeys })}
            placeholder="redirects"
            hint="Protected keys of docs.json that jobs may change."
            path="agent.allowedConfigKeys"
          />
        </div>
        <fieldset className="limits">
          <legend className="field-label">Run limits</legend>
          {limits.map(({ name, label, usual }) => (
            <TextField
              key={name}
              label={label}
              type="number"
              value={form.limits[name] ?? ''}
              onChange={(value) => set({ limits: { ...form.limits, [name]: value } })}
              placeholder={usual.toLocaleString('en')}
              path={`agent.limits.${name}`}
            />
          ))}
        </fieldset>
        <SaveRow edit={edit} labels={ruleLabels} />
      </Form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={body}
        command={`docyard projects agent ${project.domain} --protect legal --limit steps=40`}
      />
    </Panel>
  );
}

function formOf({ agent }: Project): RulesForm {
  return {
    limits: Object.fromEntries(limits.map(({ name }) => [name, String(agent.limits[name] ?? '')])),
    protectedPaths: agent.protectedPaths.join('\n'),
    allowedPaths: agent.allowedPaths.join('\n'),
    allowedConfigKeys: agent.allowedConfigKeys.join('\n'),
    instructions: agent.instructions ?? '',
  };
}

function agentOf(form: RulesForm) {
  const set = limits.flatMap(({ name }) => {
    const value = (form.limits[name] ?? '').trim();
    return value === '' ? [] : [[name, Number(value)] as const];
  });
  return {
    limits: set.length === 0 ? null : Object.fromEntries(set),
    protectedPaths: linesOf(form.protectedPaths),
    allowedPaths: linesOf(form.allowedPaths),
    allowedConfigKeys: linesOf(form.allowedConfigKeys),
    instructions: form.instructions.trim() === '' ? null : form.instructions.trim(),
  };
}
