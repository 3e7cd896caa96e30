import type { Webhook as WebhookRecord } from '@docyard/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Menu } from '../../parts/menu.tsx';
import { isNotFound, RecordNotFound } from '../../parts/record-not-found.tsx';
import { Note } from '../../parts/note.tsx';
import { Facts, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago, exact } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditWebhookDialog } from './edit-webhook.tsx';
import { RotateSecretDialog } from './secret.tsx';
import { WebhookBadge } from './status.tsx';
import './webhooks.css';

const crumbs = [{ to: '/webhooks', label: 'Webhooks' }];

export function Webhook() {
  const { webhookId = '' } = useParams();
  const webhook = useQuery({
    queryKey: ['webhooks', webhookId],
    queryFn: () => client.call('readWebhook', { params: { webhookId } }),
    // The response of the receiver can disable the webhook.
    refetchInterval: 10_000,
  });
  if (webhook.data !== undefined) return <Shown webhook={webhook.data} />;
  return (
    <Page title="Webhook" crumbs={crumbs}>
      {isNotFound(webhook.error) ? (
        <RecordNotFound icon="send" what="webhook" list={{ to: '/webhooks', label: 'All webhooks' }} />
      ) : (
        <Panel>
          {webhook.error === null ? (
            <Waiting lines={8} />
          ) : (
            <Problem error={webhook.error} retry={() => void webhook.refetch()} />
          )}
        </Panel>
      )}
    </Page>
  );
}

function Shown({ webhook }: { webhook: WebhookRecord }) {
  const mayWrite = useMay('webhooks:write');
  const { id, url, description, createdAt, jobId } = webhook;
  return (
    <Page
      title={`Webhook ${shortOf(url)}`}
      heading={
        <span className="hook-heading">
          {shortOf(url)}
          <WebhookBadge webhook={webhook} />
        </span>
      }
      {...(description === '' ? {} : { lead: description })}
      crumbs={crumbs}
      actions={mayWrite && <Actions webhook={webhook} />}
    >
      <State webhook={webhook} mayWrite={mayWrite} />
      <Panel>
        <div>
          <CopyField text={url} label="address" />
        </div>
        <Facts
          facts={[
            ['Id', <CopyField key="id" text={id} label="id" />],
            ['Added', <Ago key="added" at={createdAt} />],
            ...(jobId === null ? [] : [['Job', jobId] as [string, ReactNode]]),
          ]}
        />
        <div>
          <p className="hook-about">Events</p>
          <ul className="hook-events">
            {webhook.events.map((event) => (
              <li key={event}>{event}</li>
            ))}
          </ul>
        </div>
      </Panel>
      <Deliveries webhook={webhook} mayWrite={mayWrite} />
      <ApiCall
        operation="listWebhookDeliveries"
        params={{ webhookId: id }}
        query={{ limit: 100 }}
        command={`docyard webhooks deliveries ${id}`}
      />
    </Page>
  );
}

function State({ webhook, mayWrite }: { webhook: WebhookRecord; mayWrite: boolean }) {
  const { enabled, disabledReason, failingSince } = webhook;
  const toMend = mayWrite ? ' Fix the receiver, then enable the webhook again.' : '';
  if (!enabled && disabledReason === 'gone')
    return <Note tone="bad">The receiver responded with 410 Gone, so the webhook was disabled.{toMend}</Note>;
  if (!enabled && disabledReason === 'failing')
    return <Note tone="bad">Every delivery failed for five days, so the webhook was disabled.{toMend}</Note>;
  if (!enabled)
    return <Note tone="quiet">The webhook is disabled. Events that occur meanwhile are not sent later.</Note>;
  if (failingSince !== null)
    return (
      <Note tone="warn">
        No delivery has succeeded since {exact(failingSince)}. Each message is retried for more than a day;
        after five days without success the webhook is disabled.
      </Note>
    );
  return null;
}

function Actions({ webhook }: { webhook: WebhookRecord }) {
  const [open, setOpen] = useState<'edit' | 'secret' | 'delete'>();
  const close = () => setOpen(undefined);
  const queries = useQueryClient();
  const toast = useToast();
  const params = { webhookId: webhook.id };
  const test = useMutation({
    mutationFn: () => client.call('testWebhook', { params }),
    onSuccess: () => {
      toast('The test event is queued.');
      void queries.invalidateQueries({ queryKey: ['webhooks', webhook.id] });
    },
  });
  const switchIt = useMutation({
    mutationFn: () => client.call('updateWebhook', { params, body: { enabled: !webhook.enabled } }),
    onSuccess: (changed) => {
      toast(changed.enabled ? 'The webhook is enabled.' : 'The webhook is disabled.');
      queries.setQueryData(['webhooks', webhook.id], changed);
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  const error = test.error ?? switchIt.error;
  return (
    <>
      {webhook.enabled ? (
        <Button look="primary" icon="send" busy={test.isPending} onClick={() => test.mutate()}>
          Send a test event
        </Button>
      ) : (
        <Button look="primary" icon="play" busy={switchIt.isPending} onClick={() => switchIt.mutate()}>
          Enable
        </Button>
      )}
      <Menu
        label={
          <>
            More
            <Icon name="chevron" />
          </>
        }
        items={[
          { label: 'Change', icon: 'code', act: () => setOpen('edit') },
          { label: 'Replace the secret', icon: 'repeat', act: () => setOpen('secret') },
          ...(webhook.enabled
            ? [{ label: 'Disable', icon: 'stop', act: () => switchIt.mutate() } as const]
            : []),
          'line',
          { label: 'Delete', icon: 'trash', danger: true, act: () => setOpen('delete') },
        ]}
      />
      {error !== null && <Problem error={error} />}
      {open === 'edit' && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {open === 'secret' && <RotateSecretDialog webhookId={webhook.id} onClose={close} />}
      <DeleteWebhook webhook={webhook} open={open === 'delete'} onClose={close} />
    </>
  );
}

function DeleteWebhook(props: { webhook: WebhookRecord; open: boolean; onClose: () => void }) {
  const { webhook, open, onClose } = props;
  const [, go] = useLocation();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.call('deleteWebhook', { params: { webhookId: webhook.id } }),
    onSuccess: () => {
      go('/webhooks');
      queries.removeQueries({ queryKey: ['webhooks', webhook.id] });
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title="Delete this webhook?"
      action="Delete webhook"
      act={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>
        {shortOf(webhook.url)} receives no more events, and pending deliveries are discarded. Its delivery log
        is deleted too.
      </p>
    </Confirm>
  );
}

function shortOf(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}
