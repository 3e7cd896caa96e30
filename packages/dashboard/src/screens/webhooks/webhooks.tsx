import type { Webhook } from '@docyard/api';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { useList } from '../../parts/list.ts';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { CreateWebhookDialog } from './create-webhook.tsx';
import { eventsInWords } from './events.tsx';
import { OrganizationSecretDialog } from './secret.tsx';
import { WebhookBadge } from './status.tsx';
import './webhooks.css';

export function Webhooks() {
  const mayRead = useMay('webhooks:read');
  const mayWrite = useMay('webhooks:write');
  const [search, setSearch] = useSearchParams();
  if (!mayRead)
    return (
      <Page title="Webhooks">
        <Panel>
          <Empty icon="send" title="You have no access to webhooks">
            Ask an owner or an admin for another role.
          </Empty>
        </Panel>
      </Page>
    );
  return (
    <Page
      title="Webhooks"
      lead="Docyard notifies other programs with a signed POST request for each subscribed event."
      actions={
        mayWrite && (
          <Button look="primary" icon="plus" onClick={() => setSearch({ new: '1' })}>
            Add a webhook
          </Button>
        )
      }
    >
      <WebhookList mayWrite={mayWrite} />
      <SingleJobs mayWrite={mayWrite} />
      <ApiCall operation="listWebhooks" query={{ limit: 100 }} command="docyard webhooks list" />
      {mayWrite && search.get('new') !== null && <CreateWebhookDialog onClose={() => setSearch({})} />}
    </Page>
  );
}

const columns: Column<Webhook>[] = [
  { name: 'Address', width: 'minmax(0, 2fr)', cell: (webhook) => <Address webhook={webhook} /> },
  { name: 'Events', width: 'minmax(0, 1.4fr)', cell: ({ events }) => eventsInWords(events) },
  { name: 'State', width: '11rem', cell: (webhook) => <WebhookBadge webhook={webhook} /> },
  { name: 'Added', width: '7rem', align: 'end', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

function WebhookList({ mayWrite }: { mayWrite: boolean }) {
  const list = useList(['webhooks', 'list'], (cursor) =>
    client.call('listWebhooks', { query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  const { rows, error, refetch, more } = list;
  return (
    <Panel flush>
      {error !== null && <Problem error={error} retry={refetch} />}
      {error === null && rows === undefined && <Waiting lines={5} />}
      {rows?.length === 0 && <NoWebhooks mayWrite={mayWrite} />}
      {rows !== undefined && rows.length > 0 && (
        <Table label="Webhooks" rows={rows} columns={columns} keyOf={({ id }) => id} more={more} />
      )}
      {!mayWrite && <p className="panel-foot">Owners and admins can add and change webhooks.</p>}
    </Panel>
  );
}

function Address({ webhook: { id, url, description } }: { webhook: Webhook }) {
  return (
    <>
      <Link to={`/webhooks/${id}`} className="hook-name">
        {url}
      </Link>
      {description !== '' && <div className="hook-about">{description}</div>}
    </>
  );
}

function NoWebhooks({ mayWrite }: { mayWrite: boolean }) {
  return (
    <Empty icon="send" title="No webhooks yet">
      {mayWrite ? (
        <div className="form">
          <p>
            Add the address of a program that receives events of exports or agent jobs, here or on the server:
          </p>
          <CodeBlock text="docyard webhooks create --url https://ci.example.com/docyard" label="command" />
        </div>
      ) : (
        'A webhook sends events of exports and agent jobs to your program.'
      )}
    </Empty>
  );
}

/** Webhooks of single jobs are signed with a secret of the organization. */
function SingleJobs({ mayWrite }: { mayWrite: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <Panel
      title="Webhooks of single jobs"
      aside={mayWrite && <Button onClick={() => setOpen(true)}>Make a secret</Button>}
    >
      <p className="soft">
        A job can have its own address for its events, set with <code>webhookUrl</code>. These messages are
        signed with a secret of the organization.
      </p>
      {open && <OrganizationSecretDialog onClose={() => setOpen(false)} />}
    </Panel>
  );
}
