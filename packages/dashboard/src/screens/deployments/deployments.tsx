import type { Deployment } from '@docyard/api';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { useList } from '../../parts/list.ts';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { DeploymentPanel } from './deployment-panel.tsx';
import { ConfirmRemove, ConfirmRollback } from './dialogs.tsx';
import './deployments.css';

const refetchMs = 5000;

export interface Asking {
  action: 'rollback' | 'remove';
  deployment: Deployment;
}

export function Deployments() {
  const mayWrite = useMay('deployments:write');
  const [asking, setAsking] = useState<Asking | null>(null);
  const { rows, error, refetch, more } = useList(
    ['deployments'],
    (cursor) => client.call('listDeployments', { query: { limit: 100, cursor } }),
    { refetchMs },
  );
  const close = () => setAsking(null);
  return (
    <Page title="Deployments" lead="Sites that report what they serve.">
      {error !== null && <Problem error={error} retry={refetch} />}
      {error === null && rows === undefined && (
        <Panel>
          <Waiting lines={6} />
        </Panel>
      )}
      {rows?.length === 0 && <NoDeployments />}
      {rows?.map((deployment) => (
        <DeploymentPanel key={deployment.id} deployment={deployment} mayWrite={mayWrite} onAsk={setAsking} />
      ))}
      {more.hasMore && (
        <button type="button" className="button button-plain" onClick={more.load}>
          Show more
        </button>
      )}
      {asking?.action === 'rollback' && <ConfirmRollback deployment={asking.deployment} onClose={close} />}
      {asking?.action === 'remove' && <ConfirmRemove deployment={asking.deployment} onClose={close} />}
      <ApiCall operation="listDeployments" command="docyard deployments list" />
    </Page>
  );
}

function NoDeployments() {
  const origin = globalThis.location.origin;
  return (
    <Panel>
      <Empty icon="server" title="No site has reported yet">
        <p>
          A site that runs <code>docyard site</code> reports here once its settings name this service and a
          key with the scope <code>deployments:report</code>.{' '}
          <a href="/docs/deploy/deployments">How it works</a>
        </p>
        <CodeBlock
          label="settings of the site"
          text={`report:\n  url: ${origin}\n  apiKeyFile: report.key\n  name: docs-eu-1\n  siteUrl: https://docs.example.com\n  rollback: on`}
        />
      </Empty>
    </Panel>
  );
}
