import type { AgentJob } from '@docyard/api';
import { Link } from 'wouter';
import { Icon } from '../../parts/icons.tsx';
import { Badge, type Tone } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { counted } from '../../parts/time.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';

export function Checks({ job }: { job: AgentJob }) {
  return (
    <div className="job-checks">
      <Site job={job} />
      <Rules policy={job.policy} />
      <Usage job={job} />
    </div>
  );
}

function Site({ job: { result } }: { job: AgentJob }) {
  if (result === null || (result.filesChanged === 0 && result.previewJobId === null))
    return (
      <Panel title="The site">
        <p className="soft">After a change, the site is rendered and compared with the previous version.</p>
      </Panel>
    );
  const { newErrors, newWarnings, fixedFindings, previewJobId } = result;
  return (
    <Panel title="The site" aside={<Badge {...siteVerdict(newErrors, newWarnings)} />}>
      <ul className="findings">
        <Finding
          isGood={newErrors === 0}
          text={newErrors === 0 ? 'No new errors' : counted(newErrors, 'new error')}
        />
        <Finding
          isGood={newWarnings === 0}
          text={newWarnings === 0 ? 'No new warnings' : counted(newWarnings, 'new warning')}
        />
        {fixedFindings > 0 && <Finding isGood text={`${counted(fixedFindings, 'finding')} fixed`} />}
      </ul>
      {previewJobId !== null && (
        <p>
          <Link to={`/exports/${previewJobId}`}>View the export of the branch</Link>
        </p>
      )}
    </Panel>
  );
}

function siteVerdict(errors: number, warnings: number): { tone: Tone; children: string } {
  if (errors > 0) return { tone: 'bad', children: 'Worse than before' };
  return warnings > 0 ? { tone: 'warn', children: 'New warnings' } : { tone: 'good', children: 'Builds' };
}

function Finding({ isGood, text }: { isGood: boolean; text: string }) {
  return (
    <li className={isGood ? 'finding finding-good' : 'finding finding-bad'}>
      <Icon name={isGood ? 'check' : 'warning'} />
      {text}
    </li>
  );
}

const verdicts = {
  pass: { tone: 'good', children: 'Passed' },
  draft: { tone: 'warn', children: 'Draft' },
  block: { tone: 'bad', children: 'Blocked' },
} as const;

function Rules({ policy }: { policy: AgentJob['policy'] }) {
  if (policy === null)
    return (
      <Panel title="The rules">
        <p className="soft">
          Policy rules check the change before it is pushed: protected files, code, other hosts, secrets. They
          have not run yet.
        </p>
      </Panel>
    );
  return (
    <Panel title="The rules" aside={<Badge {...verdicts[policy.outcome]} />}>
      {policy.notes.length === 0 ? (
        <p className="soft">No rule objected to the change.</p>
      ) : (
        <ul className="findings">
          {policy.notes.map(({ rule, path, message, outcome }) => (
            <li
              key={`${rule} ${path} ${message}`}
              className={`finding finding-${outcome === 'block' ? 'bad' : 'warn'}`}
            >
              <Icon name="warning" />
              <span>
                {path !== null && <code>{path}</code>} <TextWithCode text={message} />{' '}
                <span className="faint">({rule})</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Limits apply to one run and usage covers all runs, so they are comparable only for a single run. */
function Usage({ job }: { job: AgentJob }) {
  const { usage, limits, runs, result } = job;
  const rows: [name: string, used: number, max: number][] = [
    ['Steps', usage.steps, limits.steps],
    ['Input tokens', usage.inputTokens, limits.inputTokens],
    ['Output tokens', usage.outputTokens, limits.outputTokens],
    ['Changed files', result?.filesChanged ?? 0, limits.files],
    ['Changed lines', (result?.linesAdded ?? 0) + (result?.linesRemoved ?? 0), limits.lines],
  ];
  return (
    <Panel title="Usage" aside={runs > 1 && <span className="faint">of {runs} instructions together</span>}>
      <dl className="usage">
        {rows.map(([name, used, max]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {used.toLocaleString('en')}{' '}
              <span className="faint">
                of {max.toLocaleString('en')}
                {runs > 1 && ' each'}
              </span>
            </dd>
            {runs === 1 && (
              <span className="usage-track" aria-hidden="true">
                <span style={{ width: `${Math.min(100, (used / max) * 100)}%` }} />
              </span>
            )}
          </div>
        ))}
      </dl>
      {usage.cacheReadTokens > 0 && (
        <p className="faint">
          {usage.cacheReadTokens.toLocaleString('en')} of the input tokens came from a cache.
        </p>
      )}
    </Panel>
  );
}
