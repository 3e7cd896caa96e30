import type { System as SystemRecord } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Badge, Note } from '../../parts/note.tsx';
import { Facts, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago, bytes, counted, exact } from '../../parts/time.tsx';
import './system.css';

export function System() {
  const system = useQuery({
    queryKey: ['system'],
    queryFn: () => client.call('readSystem'),
    refetchInterval: 5000,
  });
  return (
    <Page title="System" lead="The state of this installation, updated every five seconds.">
      {/* Keep the last known state visible while the server cannot be reached. */}
      {system.error !== null && <Problem error={system.error} retry={() => void system.refetch()} />}
      {system.data === undefined ? <Loading /> : <Shown system={system.data} />}
      <ApiCall operation="readSystem" command="docyard doctor" />
    </Page>
  );
}

function Loading() {
  return (
    <div className="system-panels">
      {[9, 9, 6, 6].map((lines, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Panel key={index}>
          <Waiting lines={lines} />
        </Panel>
      ))}
    </div>
  );
}

function Shown({ system }: { system: SystemRecord }) {
  const { version, startedAt, checks, queue, storage, database, isolation } = system;
  return (
    <div className="system-panels">
      <Health checks={checks} />
      <Panel title="Work under way">
        <div className="system-counts">
          <Count of="Exports" {...queue.exports} />
          <Count of="Agent jobs" {...queue.agentJobs} />
        </div>
        <p className="soft">
          These numbers are for your organization. For all organizations, use the{' '}
          <a href="/docs/operate/monitoring">numbers for Prometheus</a> at <code>/metrics</code>.
        </p>
      </Panel>
      <Panel title="Storage">
        <Facts
          facts={[
            ['Bundles', counted(storage.bundles.count, 'bundle')],
            ['They take', bytes(storage.bundles.bytes)],
            ['Free', storage.freeBytes === null ? 'unknown' : bytes(storage.freeBytes)],
            ['Kept in', storage.kind === 's3' ? 'an S3 bucket' : 'a folder'],
          ]}
        />
      </Panel>
      <Panel title="This process">
        <Facts
          facts={[
            ['Version', <span key="version">Docyard {version}</span>],
            ['Database', database.kind === 'postgresql' ? 'PostgreSQL' : 'SQLite'],
            ['Started', <Started key="started" at={startedAt} />],
          ]}
        />
        <p className="soft">
          <a href="/docs/changelog">What is new in each version</a>
        </p>
      </Panel>
      <Panel
        title="Isolation"
        aside={<Badge tone={isolation.level === 3 ? 'good' : 'warn'}>Level {isolation.level} of 3</Badge>}
      >
        <p className="soft">{isolation.statement}</p>
        <p>
          <a href="/docs/operate/security">How untrusted files are isolated</a>
        </p>
      </Panel>
      <Signing {...system.signingKey} />
    </div>
  );
}

function Started({ at }: { at: string }) {
  return (
    <>
      <Ago at={at} />
      <span className="system-exact">{exact(at)}</span>
    </>
  );
}

function Health({ checks }: { checks: SystemRecord['checks'] }) {
  const isWell = checks.every(({ ok }) => ok);
  return (
    <Panel
      title="Health"
      aside={<Badge tone={isWell ? 'good' : 'bad'}>{isWell ? 'All is well' : 'Needs a look'}</Badge>}
    >
      {!isWell && (
        <Note tone="bad">
          Run <code>docyard doctor</code> on the server for a diagnosis.
        </Note>
      )}
      <ul className="checks">
        {checks.map(({ name, ok, message }) => (
          <li key={name} className={ok ? 'check' : 'check check-bad'}>
            <Icon name={ok ? 'check' : 'warning'} />
            <span className="check-name">{checkNames[name] ?? name}</span>
            <span className="check-message">
              {!ok && <span className="visually-hidden">not well: </span>}
              {message}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const checkNames: Record<string, string> = {
  serving: 'Requests',
  database: 'Database',
  secrets: 'Secrets',
  storage: 'Bundles',
  queue: 'Queue',
  disk: 'Disk',
  sandbox: 'Sandbox',
};

function Count({ of, queued, running }: { of: string; queued: number; running: number }) {
  return (
    <div className="system-count">
      <h3>{of}</h3>
      <p>
        <b>{running.toLocaleString('en')}</b> running
      </p>
      <p>
        <b>{queued.toLocaleString('en')}</b> waiting
      </p>
    </div>
  );
}

function Signing({ keyId, publicKey }: SystemRecord['signingKey']) {
  return (
    <Panel title="Signing key" aside={<code className="faint">{keyId}</code>}>
      <p className="soft">
        Every bundle is signed. With this public key you can verify offline that a bundle came from this
        installation. <a href="/docs/deploy/signatures">More about signatures</a>
      </p>
      <div className="system-key">
        <CopyField text={publicKey} label="public key" />
      </div>
      <CodeBlock text={`docyard verify bundle.tar.gz \\\n  --public-key ${publicKey}`} label="command" />
    </Panel>
  );
}
