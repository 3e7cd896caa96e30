import type { AgentJob } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useUnsavedEdits } from '../../edits/unsaved-edits.ts';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/page.tsx';
import { useToast } from '../../parts/toast.tsx';
import { InstructionProblem } from './instruction-problem.tsx';

export function FollowUp({ projectId, job }: { projectId: string; job: AgentJob }) {
  const [prompt, setPrompt] = useState('');
  useUnsavedEdits(() => prompt.trim() !== '');
  const queries = useQueryClient();
  const toast = useToast();
  const isActive = job.status === 'active';
  const send = useMutation({
    mutationFn: () =>
      client.call('messageAgentJob', { params: { projectId, id: job.id }, body: { prompt: prompt.trim() } }),
    onSuccess: (next) => {
      queries.setQueryData(['agent-job', projectId, job.id], next);
      void queries.invalidateQueries({ queryKey: ['agent-jobs'] });
      setPrompt('');
      toast(isActive ? 'The agent receives the message before its next step.' : 'The job resumes.');
    },
  });
  if (job.status === 'archived' || job.purgedAt !== null) return null;
  const words = wordsFor(job);
  return (
    <Panel title={words.title}>
      <Form
        error={send.error}
        onSubmit={() => {
          if (prompt.trim() !== '') send.mutate();
        }}
        submitsByKey
      >
        <TextField
          label={words.label}
          value={prompt}
          onChange={setPrompt}
          rows={3}
          maxLength={32_000}
          placeholder={words.example}
          hint={words.hint}
        />
        {send.error !== null && <InstructionProblem error={send.error} projectId={projectId} />}
        <div>
          <Button type="submit" icon="send" busy={send.isPending} disabled={prompt.trim() === ''}>
            Send
          </Button>
        </div>
      </Form>
      <ApiCall
        operation="messageAgentJob"
        params={{ projectId, id: job.id }}
        body={{ prompt: prompt.trim() || words.example }}
        command={`docyard agent message ${job.id} ${quoted(prompt.trim() || words.example)} --project ${projectId}`}
      />
    </Panel>
  );
}

function wordsFor(job: AgentJob) {
  if (job.status === 'active')
    return {
      title: 'Send a message',
      label: 'Message',
      example: 'Leave the changelog as it is.',
      hint: 'The agent receives it before its next step.',
    };
  const same = job.pullRequest === null ? 'on the same branch' : 'on the same branch and pull request';
  if (job.statusReason === 'needs_input')
    return {
      title: 'Answer the agent',
      label: 'Answer',
      example: 'Yes, both pages.',
      hint: `The job resumes ${same}.`,
    };
  return {
    title: 'Continue this job',
    label: 'Instruction',
    example: 'Also add an example for the command line.',
    hint: `The job becomes active again, ${same}.`,
  };
}
