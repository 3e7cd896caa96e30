/** The steps of an agent run. A step expands to its messages and tool results from the transcript. */
import type { AgentJob, AgentStep } from '@docyard/api';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { Icon, type IconName } from '../../parts/icons.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { exact, span } from '../../parts/time.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';
import type { StepEvent } from './agent-events.ts';

interface StepsProps {
  projectId: string;
  job: AgentJob;
  steps: StepEvent[];
}

export function Steps({ projectId, job, steps }: StepsProps) {
  const runs = Map.groupBy(steps, ({ run }) => run);
  const prompts = new Map(job.instructions.map(({ run, prompt }) => [run, prompt]));
  const numbers = [...new Set([...prompts.keys(), ...runs.keys()])].toSorted((left, right) => left - right);
  return (
    <div className="runs">
      {numbers.map((run) => (
        <section key={run} aria-label={`Instruction ${run}`}>
          {prompts.has(run) && job.runs > 1 && (
            <Instruction label={`Instruction ${run}`} text={prompts.get(run) ?? ''} />
          )}
          <ol className="steps">
            {(runs.get(run) ?? []).map((step, index, all) => (
              <Step
                key={step.id}
                step={step}
                previous={all[index - 1]}
                projectId={projectId}
                id={job.id}
                known={steps.length}
              />
            ))}
            {job.status === 'active' && run === numbers.at(-1) && (
              <li className="step step-busy">
                <span className="spinner" aria-hidden="true" />
                <span className="soft">At work…</span>
              </li>
            )}
          </ol>
        </section>
      ))}
    </div>
  );
}

export function Instruction({ label, text }: { label: string; text: string }) {
  return (
    <blockquote className="instruction">
      <span className="instruction-label">{label}</span>
      {text}
    </blockquote>
  );
}

const icons: Record<StepEvent['kind'], IconName> = {
  prepared: 'download',
  message: 'send',
  answer: 'sparkle',
  result: 'code',
  'loop-ended': 'check',
  validated: 'eye',
  judged: 'shield',
  committed: 'check',
  pushed: 'branch',
  previewed: 'box',
  proposed: 'compare',
  ended: 'stop',
};

interface StepProps {
  step: StepEvent;
  previous: StepEvent | undefined;
  projectId: string;
  id: string;
  known: number;
}

function Step({ step, previous, projectId, id, known }: StepProps) {
  const [isOpen, setOpen] = useState(false);
  const tookMs = previous === undefined ? 0 : Date.parse(step.at) - Date.parse(previous.at);
  return (
    <li className={step.isError ? 'step step-error' : 'step'}>
      <div>
        <button type="button" className="step-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className="step-icon">
            <Icon name={step.isError ? 'warning' : icons[step.kind]} />
          </span>
          <span className="step-text">
            {step.tool !== null && <code>{step.tool}</code>} {step.path !== null && <code>{step.path}</code>}{' '}
            <span className={step.kind === 'result' ? 'soft' : undefined}>
              <TextWithCode text={withoutPath(step)} />
            </span>
            {step.isError && <span className="visually-hidden"> (error, returned to the agent)</span>}
          </span>
          <time className="step-time" dateTime={step.at} title={exact(step.at)}>
            {tookMs > 100 ? span(tookMs) : ''}
          </time>
        </button>
        {isOpen && (
          <div className="step-panel">
            <StepDetail step={step} projectId={projectId} id={id} known={known} />
          </div>
        )}
      </div>
    </li>
  );
}

const endings: Partial<Record<StepEvent['kind'], string>> = {
  'loop-ended': 'The agent finished:',
  proposed: 'Pull request:',
  ended: 'The run ended:',
};

function withoutPath({ kind, path, text }: StepEvent): string {
  const shown = path !== null && text.startsWith(`${path}: `) ? text.slice(path.length + 2) : text;
  const before = endings[kind];
  return before === undefined ? shown : `${before} ${shown.replaceAll('_', ' ')}`;
}

/** The transcript is read completely, up to this limit, when the first step is opened. */
const maxSteps = 1000;

function StepDetail({ step, projectId, id, known }: Omit<StepProps, 'previous'>) {
  const transcript = useQuery({
    // Read it again when there are more steps than it contains.
    queryKey: ['agent-job', projectId, id, 'transcript', known],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const steps: AgentStep[] = [];
      for await (const each of client.each('readAgentTranscript', {
        params: { projectId, id },
        query: { limit: 100 },
      })) {
        steps.push(each);
        if (steps.length >= maxSteps) break;
      }
      return steps;
    },
    staleTime: Infinity,
  });
  if (transcript.error !== null)
    return <Problem error={transcript.error} retry={() => void transcript.refetch()} />;
  if (transcript.data === undefined) return <Waiting lines={2} />;
  const found = transcript.data.find((each) => isSame(each, step));
  const call = callOf(transcript.data, step);
  return (
    <>
      {call !== undefined && <pre className="step-input">{call}</pre>}
      <pre>{found === undefined || found.text === '' ? step.text : found.text}</pre>
    </>
  );
}

function isSame(step: AgentStep, { run, number }: StepEvent): boolean {
  return step.run === run && step.number === number;
}

/** Tool calls precede their results in the same order, except those of an external agent. */
function callOf(transcript: readonly AgentStep[], step: StepEvent): string | undefined {
  if (step.kind !== 'result') return undefined;
  const at = transcript.findIndex((each) => isSame(each, step));
  const answer = transcript.slice(0, Math.max(at, 0)).findLastIndex(({ kind }) => kind === 'answer');
  const call = transcript[at]?.calls[0] ?? transcript[answer]?.calls[at - answer - 1];
  return call === undefined ? undefined : JSON.stringify(call.input, null, 2);
}
