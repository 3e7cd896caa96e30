/** How far jobs of a project may go: limits of a run, files and keys, and what every job is told. */
import type { AgentJob, Project } from '@docyard/api';
import { useState } from 'react';
import { ApiCall } from '../../parts/api-call.tsx';
import { fieldError, TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/page.tsx';
import { SaveRow } from './save-row.tsx';
import { useProjectChange } from './use-project-change.ts';

type Limit = keyof AgentJob['limits'];

/** As the manual lists them, with what holds when nothing is set. */
const limits: { name: Limit; label: string; usual: number }[] = [
  { name: 'steps', label: 'Model answers', usual: 60 },
  { name: 'minutes', label: 'Minutes', usual: 30 },
  { name: 'inputTokens', label: 'Tokens read', usual: 1_500_000 },
  { name: 'outputTokens', label: 'Tokens written', usual: 60_000 },
  { name: 'files', label: 'Files changed', usual: 50 },
  { name: 'lines', label: 'Lines changed', usual: 5000 },
  { name: 'toolSeconds', label: 'Tool seconds', usual: 30 },
];

interface Form {
  limits: Partial<Record<Limit, string>>;
  protectedPaths: string;
  allowedPaths: string;
  allowedConfigKeys: string;
  instructions: string;
}

export function AgentRules({ project }: { project: Project }) {
  const [form, setForm] = useState(() => formOf(project));
  const set = (change: Partial<Form>) => setForm({ ...form, ...change });
  const save = useProjectChange(project, (next) => setForm(formOf(next)));
  const body = { agent: agentOf(form) };
  const isSame = JSON.stringify(form) === JSON.stringify(formOf(project));
  return (
    <Panel title="Rules and limits">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(body);
        }}
      >
        <TextField
          label="What every job is told"
          optional
          rows={4}
          value={form.instructions}
          onChange={(instructions) => set({ instructions })}
          maxLength={16_000}
          placeholder="Write British English. Address the reader as you."
          hint="Beside AGENTS.md of the default branch."
          error={fieldError(save.error, 'agent.instructions')}
        />
        <div className="form-row">
          <TextField
            label="Closed to jobs"
            optional
            mono
            rows={3}
            value={form.protectedPaths}
            onChange={(protectedPaths) => set({ protectedPaths })}
            placeholder={'legal\n**/terms.mdx'}
            hint="What no job may change: paths, folders or patterns, one a line."
            error={fieldError(save.error, 'agent.protectedPaths')}
          />
          <TextField
            label="Files opened to jobs"
            optional
            mono
            rows={3}
            value={form.allowedPaths}
            onChange={(allowedPaths) => set({ allowedPaths })}
            placeholder="snippets/**"
            hint="Protected ones that jobs may change. Open files rather than folders."
            error={fieldError(save.error, 'agent.allowedPaths')}
          />
          <TextField
            label="Keys opened to jobs"
            optional
            mono
            rows={3}
            value={form.allowedConfigKeys}
            onChange={(allowedConfigKeys) => set({ allowedConfigKeys })}
            placeholder="redirects"
            hint="Protected keys of docs.json that jobs may change."
            error={fieldError(save.error, 'agent.allowedConfigKeys')}
          />
        </div>
        <fieldset className="limits">
          <legend className="field-label">Limits of a run</legend>
          {limits.map(({ name, label, usual }) => (
            <TextField
              key={name}
              label={label}
              type="number"
              value={form.limits[name] ?? ''}
              onChange={(value) => set({ limits: { ...form.limits, [name]: value } })}
              placeholder={usual.toLocaleString('en')}
              error={fieldError(save.error, `agent.limits.${name}`)}
            />
          ))}
        </fieldset>
        <SaveRow save={save} isSame={isSame} />
      </form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={body}
        command={`docyard projects agent ${project.domain} --protect legal --limit steps=40`}
      />
    </Panel>
  );
}

function formOf({ agent }: Project): Form {
  return {
    limits: Object.fromEntries(limits.map(({ name }) => [name, String(agent.limits[name] ?? '')])),
    protectedPaths: agent.protectedPaths.join('\n'),
    allowedPaths: agent.allowedPaths.join('\n'),
    allowedConfigKeys: agent.allowedConfigKeys.join('\n'),
    instructions: agent.instructions ?? '',
  };
}

function agentOf(form: Form) {
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

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
