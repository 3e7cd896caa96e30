/** What the checks and the rules said of the change, and what the work has used of what it may. */
import type { AgentJob } from '@docyard/api';
import { Link } from 'wouter';
import { Icon } from '../../parts/icons.tsx';
import { Badge, type Tone } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { counted } from '../../parts/time.tsx';
import { Words } from '../../parts/words.tsx';

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
        <p className="soft">
          The site is rendered when there is a change, and compared with how it was before.
        </p>
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
        {fixedFindings > 0 && <Finding isGood text={`${counted(fixedFindings, 'finding')} mended`} />}
      </ul>
      {previewJobId !== null && (
        <p>
          <Link to={`/exports/${previewJobId}`}>Look at the export of the branch</Link>
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
  draft: { tone: 'warn', children: 'Offered as a draft' },
  block: { tone: 'bad', children: 'Blocked' },
} as const;

function Rules({ policy }: { policy: AgentJob['policy'] }) {
  if (policy === null)
    return (
      <Panel title="The rules">
        <p className="soft">
          Fixed rules look at what would be pushed: protected files, code, other hosts, secrets. They have not
          been asked yet.
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
                {path !== null && <code>{path}</code>} <Words text={message} />{' '}
                <span className="faint">({rule})</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The limits are those of one run, the numbers those of all: only with one run can they be compared. */
function Usage({ job }: { job: AgentJob }) {
  const { usage, limits, runs, result } = job;
  const rows: [name: string, used: number, most: number][] = [
    ['Answers of the model', usage.steps, limits.steps],
    ['Tokens read', usage.inputTokens, limits.inputTokens],
    ['Tokens written', usage.outputTokens, limits.outputTokens],
    ['Files changed', result?.filesChanged ?? 0, limits.files],
    ['Lines changed', (result?.linesAdded ?? 0) + (result?.linesRemoved ?? 0), limits.lines],
  ];
  return (
    <Panel title="Use" aside={runs > 1 && <span className="faint">of {runs} instructions together</span>}>
      <dl className="usage">
        {rows.map(([name, used, most]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {used.toLocaleString('en')}{' '}
              <span className="faint">
                of {most.toLocaleString('en')}
                {runs > 1 && ' each'}
              </span>
            </dd>
            {runs === 1 && (
              <span className="usage-track" aria-hidden="true">
                <span style={{ width: `${Math.min(100, (used / most) * 100)}%` }} />
              </span>
            )}
          </div>
        ))}
      </dl>
      {usage.cacheReadTokens > 0 && (
        <p className="faint">
          {usage.cacheReadTokens.toLocaleString('en')} of the tokens read came from a cache.
        </p>
      )}
    </Panel>
  );
}
