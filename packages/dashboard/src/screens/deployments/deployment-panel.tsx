import type { Deployment } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Badge, Note, type Tone } from '../../parts/note.tsx';
import { Facts } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago, counted } from '../../parts/time.tsx';
import type { Asking } from './deployments.tsx';

const healthWords: Record<Deployment['health'], [tone: Tone, word: string]> = {
  ready: ['good', 'Ready'],
  not_ready: ['bad', 'Not ready'],
  not_seen: ['warn', 'Not seen'],
};

interface DeploymentPanelProps {
  deployment: Deployment;
  mayWrite: boolean;
  onAsk: (asking: Asking) => void;
}

export function DeploymentPanel({ deployment, mayWrite, onAsk }: DeploymentPanelProps) {
  const [tone, word] = healthWords[deployment.health];
  const canRollBack = deployment.acceptsInstructions && deployment.releases.length > 1;
  return (
    <section className="panel deployment" aria-label={deployment.name}>
      <div className="panel-head">
        <h2 className="deployment-name">
          {deployment.name} <Badge tone={tone}>{word}</Badge>
        </h2>
        {mayWrite && (
          <div className="deployment-actions">
            {canRollBack && (
              <Button icon="back" onClick={() => onAsk({ action: 'rollback', deployment })}>
                Roll back
              </Button>
            )}
            <Menu
              name={`More actions for ${deployment.name}`}
              className="button button-quiet"
              label={<Icon name="more" />}
              items={[
                {
                  label: 'Remove from the list',
                  icon: 'trash',
                  danger: true,
                  act: () => onAsk({ action: 'remove', deployment }),
                },
              ]}
            />
          </div>
        )}
      </div>
      <Instruction deployment={deployment} mayWrite={mayWrite} />
      {deployment.reason !== null && <Note tone="bad">{deployment.reason}</Note>}
      {deployment.lastRefresh?.outcome === 'refused' && (
        <Note tone="warn">
          A bundle was rejected <Ago at={deployment.lastRefresh.at} />: {deployment.lastRefresh.detail}
        </Note>
      )}
      <ServedFacts deployment={deployment} />
      <Disclosure icon="list" label={`${counted(deployment.releases.length, 'release')} kept`}>
        <Releases deployment={deployment} />
      </Disclosure>
    </section>
  );
}

function ServedFacts({ deployment }: { deployment: Deployment }) {
  const { release, url, servingSince, lastSeenAt } = deployment;
  return (
    <Facts
      facts={[
        [
          'Serves',
          release === null ? (
            'nothing yet'
          ) : (
            <span key="serves">
              {release.version ?? release.id}
              {release.version !== null && <span className="faint"> · {release.id}</span>}
            </span>
          ),
        ],
        [
          'Commit',
          <span key="commit" className="mono">
            {release?.commit?.slice(0, 7) ?? '–'}
          </span>,
        ],
        ['Since', servingSince === null ? '–' : <Ago key="since" at={servingSince} />],
        ['Last seen', <Ago key="seen" at={lastSeenAt} />],
        [
          'Address',
          url === null ? (
            '–'
          ) : (
            <a key="address" href={url} rel="noreferrer" target="_blank">
              {URL.parse(url)?.host ?? url}
            </a>
          ),
        ],
        [
          'Export',
          release === null || release.jobId === null ? (
            '–'
          ) : (
            <Link key="export" to={`/exports/${release.jobId}`}>
              {release.jobId}
            </Link>
          ),
        ],
      ]}
    />
  );
}

const actionWords = { rollback: 'Roll back', resume: 'Resume' } as const;

function Instruction({ deployment, mayWrite }: { deployment: Deployment; mayWrite: boolean }) {
  const { id, name, instruction, held } = deployment;
  const queries = useQueryClient();
  const settled = { onSuccess: () => queries.invalidateQueries({ queryKey: ['deployments'] }) };
  const params = { deploymentId: id };
  const resume = useMutation({ mutationFn: () => client.call('resumeDeployment', { params }), ...settled });
  const withdraw = useMutation({
    mutationFn: () => client.call('cancelInstruction', { params }),
    ...settled,
  });
  const problem = resume.error ?? withdraw.error;
  const target = instruction?.release === null ? '' : ` to ${instruction?.release ?? ''}`;
  return (
    <>
      {problem !== null && <Problem error={problem} />}
      {instruction?.status === 'pending' && (
        <div role="status">
          <Note tone="info">
            {actionWords[instruction.action]}
            {target} is pending: {name} applies it with its next report.{' '}
            {mayWrite && (
              <Button look="quiet" busy={withdraw.isPending} onClick={() => withdraw.mutate()}>
                Withdraw
              </Button>
            )}
          </Note>
        </div>
      )}
      {instruction !== null && instruction.status !== 'pending' && (
        <p className="deployment-instruction" role="status">
          <span className={instruction.status === 'done' ? undefined : 'deployment-failed'}>
            {actionWords[instruction.action]}
            {target}: {instruction.status}
          </span>{' '}
          <span className="faint">
            <Ago at={instruction.finishedAt ?? instruction.requestedAt} />, by {instruction.requestedBy}
            {instruction.status === 'failed' && instruction.message !== null && ` · ${instruction.message}`}
          </span>
        </p>
      )}
      {held !== null && instruction?.status !== 'pending' && (
        <Note tone="warn">
          Rolled back from {held.from} <Ago at={held.at} />. {name} stays on this release until its source
          offers another bundle.{' '}
          {mayWrite && deployment.acceptsInstructions && (
            <Button look="quiet" busy={resume.isPending} onClick={() => resume.mutate()}>
              Resume
            </Button>
          )}
        </Note>
      )}
    </>
  );
}

function Releases({ deployment: { release: served, releases } }: { deployment: Deployment }) {
  return (
    <ul className="release-list">
      {releases.map(({ id, version, commit, installedAt, pages }) => (
        <li key={id}>
          <span className="mono">{id}</span>
          <span>{version ?? '–'}</span>
          <span className="mono faint">{commit?.slice(0, 7) ?? ''}</span>
          <span className="faint">
            {counted(pages, 'page')}, installed <Ago at={installedAt} />
          </span>
          {id === served?.id && <Badge tone="good">served</Badge>}
        </li>
      ))}
    </ul>
  );
}
