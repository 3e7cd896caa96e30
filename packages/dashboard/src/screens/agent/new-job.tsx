import type { CreateAgentJob, Project } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { Disclosure } from '../../parts/disclosure.tsx';
import { CheckField, fieldError, SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { useProject } from '../projects/use-projects.ts';
import { InstructionProblem } from './instruction-problem.tsx';

interface NewJobProps {
  open: boolean;
  projectId: string;
  onClose: () => void;
}

export function NewJob(props: NewJobProps) {
  return (
    <Dialog
      open={props.open}
      onClose={props.onClose}
      title="New agent job"
      lead="The agent reads the repository, edits pages, checks the site and opens a pull request. You review and merge it."
      wide
    >
      <NewJobForm {...props} />
    </Dialog>
  );
}

interface NewJobFields {
  projectId: string;
  prompt: string;
  ref: string;
  model: string;
  draft: 'checks' | 'yes' | 'no';
  paths: string;
  steps: string;
  minutes: string;
  dryRun: boolean;
}

function NewJobForm({ projectId, onClose }: NewJobProps) {
  const [form, setForm] = useState<NewJobFields>({
    projectId,
    prompt: '',
    ref: '',
    model: '',
    draft: 'checks',
    paths: '',
    steps: '',
    minutes: '',
    dryRun: false,
  });
  const set = (change: Partial<NewJobFields>) => setForm({ ...form, ...change });
  const [, go] = useLocation();
  const queries = useQueryClient();
  const params = { projectId: form.projectId };
  const body = requestOf(form);
  const start = useMutation({
    mutationFn: () => client.call('createAgentJob', { params, body }),
    onSuccess: (job) => {
      queries.setQueryData(['agent-job', form.projectId, job.id], job);
      void queries.invalidateQueries({ queryKey: ['agent-jobs'] });
      go(`/agent/${form.projectId}/${job.id}`);
    },
  });
  const { data: project, isError: isUnknown } = useProject(form.projectId);
  return (
    <Form error={start.error} onSubmit={() => start.mutate()} submitsByKey>
      <TextField
        label="Instruction"
        value={form.prompt}
        onChange={(prompt) => set({ prompt })}
        rows={5}
        maxLength={32_000}
        required
        autoFocus
        placeholder="Document the new --strict option of the check command, with an example."
        hint="Describe the change and where to make it. The agent asks if something is unclear."
        error={fieldError(start.error, 'prompt')}
      />
      <div className="form-row">
        <ProjectPicker
          value={form.projectId}
          onChange={(next) => set({ projectId: next })}
          hint={project?.domain}
          error={isUnknown ? 'This project does not exist. Choose another one.' : undefined}
        />
        <TextField
          label="Branch"
          optional
          mono
          value={form.ref}
          onChange={(ref) => set({ ref })}
          placeholder={project?.source.ref ?? 'the default branch'}
          hint="The target branch of the pull request."
          error={fieldError(start.error, 'source')}
        />
      </div>
      <Disclosure icon="plus" label="More options">
        <div className="form form-more">
          <MoreOptions form={form} set={set} error={start.error} project={project} />
        </div>
      </Disclosure>
      <ApiCall
        operation="createAgentJob"
        params={params}
        body={body}
        command={commandOf(form.projectId, body)}
      />
      {start.error !== null && <InstructionProblem error={start.error} projectId={form.projectId} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          look="primary"
          type="submit"
          icon="sparkle"
          busy={start.isPending}
          disabled={form.prompt.trim() === '' || project === undefined}
        >
          Start
        </Button>
      </DialogActions>
    </Form>
  );
}

interface MoreOptionsProps {
  form: NewJobFields;
  set: (change: Partial<NewJobFields>) => void;
  error: unknown;
  project: Project | undefined;
}

function MoreOptions({ form, set, error, project }: MoreOptionsProps) {
  const { limits } = project?.agent ?? {};
  return (
    <>
      <TextField
        label="Only files below"
        optional
        mono
        rows={2}
        value={form.paths}
        onChange={(paths) => set({ paths })}
        placeholder={'guides\nreference/cli.mdx'}
        hint="One path per line. Default: the complete docs folder."
        error={fieldError(error, 'scope')}
      />
      <div className="form-row">
        <SelectField
          label="Draft"
          value={form.draft}
          onChange={(draft) => set({ draft })}
          choices={[
            { value: 'checks', label: 'The checks decide' },
            { value: 'yes', label: 'Always a draft' },
            { value: 'no', label: 'Ready for review' },
          ]}
          error={fieldError(error, 'draft')}
        />
        <TextField
          label="Model"
          optional
          mono
          value={form.model}
          onChange={(model) => set({ model })}
          placeholder={project?.agent.model?.name ?? 'the usual one'}
          hint="A different model of the same endpoint."
          error={fieldError(error, 'model')}
        />
      </div>
      <div className="form-row">
        <TextField
          label="Most steps"
          optional
          type="number"
          value={form.steps}
          onChange={(steps) => set({ steps })}
          placeholder={String(limits?.steps ?? 60)}
          error={fieldError(error, 'limits.steps')}
        />
        <TextField
          label="Most minutes"
          optional
          type="number"
          value={form.minutes}
          onChange={(minutes) => set({ minutes })}
          placeholder={String(limits?.minutes ?? 30)}
          error={fieldError(error, 'limits.minutes')}
        />
      </div>
      <CheckField
        label="Dry run"
        hint="Do not push. The change is shown only here."
        checked={form.dryRun}
        onChange={(dryRun) => set({ dryRun })}
      />
    </>
  );
}

/** Only values that differ from the defaults, which keeps the displayed API call short. */
function requestOf(form: NewJobFields): CreateAgentJob {
  const paths = form.paths
    .split('\n')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  const limits = {
    ...(form.steps === '' ? {} : { steps: Number(form.steps) }),
    ...(form.minutes === '' ? {} : { minutes: Number(form.minutes) }),
  };
  return {
    prompt: form.prompt.trim(),
    ...(form.ref.trim() === '' ? {} : { source: { ref: form.ref.trim() } }),
    ...(form.model.trim() === '' ? {} : { model: form.model.trim() }),
    ...(form.draft === 'checks' ? {} : { draft: form.draft === 'yes' }),
    ...(paths.length === 0 ? {} : { scope: { paths } }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(form.dryRun ? { dryRun: true } : {}),
  };
}

function commandOf(
  projectId: string,
  { prompt, source, model, draft, scope, dryRun }: CreateAgentJob,
): string {
  const options = [
    ...(source?.ref === undefined ? [] : ['--ref', quoted(source.ref)]),
    ...(model === undefined ? [] : ['--model', quoted(model)]),
    ...(draft === true ? ['--draft'] : []),
    ...(scope === undefined ? [] : ['--path', ...scope.paths.map(quoted)]),
    ...(dryRun === true ? ['--dry-run'] : []),
  ];
  const words = [
    'docyard agent run',
    quoted(prompt === '' ? 'What to do' : prompt),
    '--project',
    projectId === '' ? 'PROJECT' : projectId,
    ...options,
  ];
  return words.join(' ');
}
