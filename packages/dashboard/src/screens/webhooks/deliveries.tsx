import { deliveryStatuses, type Webhook, type WebhookDelivery } from '@docyard/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { Link, useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { useList } from '../../parts/list.ts';
import { Badge } from '../../parts/note.tsx';
import { Empty, Facts, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago, counted, exact, span } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';
import { DeliveryBadge } from './status.tsx';

export function Deliveries({ webhook, mayWrite }: { webhook: Webhook; mayWrite: boolean }) {
  const [search, setSearch] = useSearchParams();
  const status = deliveryStatuses.find((each) => each === search.get('status'));
  const setParam = (name: string, value: string | undefined) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (value === undefined) next.delete(name);
      else next.set(name, value);
      return next;
    });
  const list = useDeliveries(webhook.id, status);
  const columns = useMemo(() => columnsFor(webhook.id), [webhook.id]);
  const delivery = search.get('delivery');
  return (
    <Panel
      flush
      title="Deliveries"
      aside={
        <Segments
          label="Status"
          value={status ?? 'all'}
          onChange={(next) => setParam('status', next === 'all' ? undefined : next)}
          segments={[
            { value: 'all', label: 'All' },
            { value: 'pending', label: 'Waiting' },
            { value: 'delivered', label: 'Delivered' },
            { value: 'failed', label: 'Failed' },
          ]}
        />
      }
    >
      {list.error !== null && <Problem error={list.error} retry={list.refetch} />}
      {list.error === null && list.rows === undefined && <Waiting lines={5} />}
      {list.rows?.length === 0 && <NothingSent isFiltered={status !== undefined} />}
      {list.rows !== undefined && list.rows.length > 0 && (
        <Table
          label="Deliveries"
          rows={list.rows}
          columns={columns}
          keyOf={({ id }) => id}
          more={list.more}
        />
      )}
      {delivery !== null && (
        <DeliveryDialog
          webhook={webhook}
          deliveryId={delivery}
          mayWrite={mayWrite}
          onClose={() => setParam('delivery', undefined)}
        />
      )}
    </Panel>
  );
}

/** Poll quickly while a delivery is pending, as long as few pages are loaded. */
function useDeliveries(webhookId: string, status: WebhookDelivery['status'] | undefined) {
  return useList(
    ['webhooks', webhookId, 'deliveries', status ?? 'all'],
    (cursor) =>
      client.call('listWebhookDeliveries', {
        params: { webhookId },
        query: {
          limit: 50,
          ...(status === undefined ? {} : { status }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      }),
    {
      refetchMs: (rows) =>
        rows.length > 100 ? false : rows.some((row) => row.status === 'pending') ? 1500 : 10_000,
    },
  );
}

function columnsFor(webhookId: string): Column<WebhookDelivery>[] {
  return [
    {
      name: 'Event',
      width: 'minmax(0, 1.6fr)',
      cell: ({ id, type, jobId }) => (
        <>
          <Link to={`/webhooks/${webhookId}?delivery=${id}`} className="hook-name">
            {type}
          </Link>
          {jobId !== null && <div className="hook-about mono">{jobId}</div>}
        </>
      ),
    },
    { name: 'Status', width: '9rem', cell: (delivery) => <DeliveryBadge delivery={delivery} /> },
    { name: 'Answer', width: 'minmax(0, 1.4fr)', cell: (delivery) => answerInWords(delivery) },
    { name: 'When', width: '8rem', align: 'end', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ];
}

function answerInWords({ attempts, nextAttemptAt }: WebhookDelivery): ReactNode {
  const last = attempts.at(-1);
  if (last === undefined) return <span className="faint">not sent yet</span>;
  const tries = attempts.length === 1 ? '' : ` (${counted(attempts.length, 'attempt')})`;
  return (
    <>
      {last.status === null ? (last.error ?? 'no answer') : `${last.status} after ${span(last.durationMs)}`}
      {tries}
      {nextAttemptAt !== null && (
        <div className="hook-about">
          next <Ago at={nextAttemptAt} />
        </div>
      )}
    </>
  );
}

function NothingSent({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty icon="send" title="No deliveries with this status">
        Deliveries are kept for 30 days.
      </Empty>
    );
  return (
    <Empty icon="send" title="No deliveries yet">
      Send a test event or start an export. Deliveries are listed here with the response of the receiver.
    </Empty>
  );
}

interface DeliveryDialogProps {
  webhook: Webhook;
  deliveryId: string;
  mayWrite: boolean;
  onClose: () => void;
}

function DeliveryDialog({ webhook, deliveryId, mayWrite, onClose }: DeliveryDialogProps) {
  const params = { webhookId: webhook.id, deliveryId };
  const key = ['webhooks', webhook.id, 'delivery', deliveryId];
  const queries = useQueryClient();
  const toast = useToast();
  const delivery = useQuery({
    queryKey: key,
    queryFn: () => client.call('readWebhookDelivery', { params }),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 1500 : false),
  });
  const again = useMutation({
    mutationFn: () => client.call('redeliverWebhook', { params }),
    onSuccess: () => {
      toast('The message is sent again.');
      void queries.invalidateQueries({ queryKey: ['webhooks', webhook.id] });
    },
  });
  const now = useMutation({
    mutationFn: () => client.call('sendWebhookDeliveryNow', { params }),
    onSuccess: () => {
      toast('The next attempt is made now.');
      void queries.invalidateQueries({ queryKey: ['webhooks', webhook.id] });
    },
  });
  const isWaiting = delivery.data?.status === 'pending';
  const error = again.error ?? now.error;
  return (
    <Dialog open onClose={onClose} title={delivery.data?.type ?? 'Delivery'} wide>
      {delivery.error !== null && <Problem error={delivery.error} retry={() => void delivery.refetch()} />}
      {delivery.isPending && <Waiting lines={8} />}
      {delivery.data !== undefined && (
        <>
          <Facts
            facts={[
              ['Status', <DeliveryBadge key="status" delivery={delivery.data} />],
              ['Happened', exact(delivery.data.createdAt)],
              ...(delivery.data.nextAttemptAt === null
                ? []
                : [['Next attempt', exact(delivery.data.nextAttemptAt)] as [string, ReactNode]]),
              ['webhook-id', <CopyField key="id" text={delivery.data.messageId} label="webhook-id" />],
            ]}
          />
          <Attempts attempts={delivery.data.attempts} />
          <div className="field delivery-body">
            <h3>Body</h3>
            <CodeBlock text={indented(delivery.data.body)} label="body" />
          </div>
        </>
      )}
      {error !== null && <Problem error={error} />}
      <ApiCall
        operation={isWaiting ? 'sendWebhookDeliveryNow' : 'redeliverWebhook'}
        params={params}
        command={`docyard webhooks ${isWaiting ? 'send-now' : 'redeliver'} ${webhook.id} ${deliveryId}`}
      />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {mayWrite && isWaiting && (
          <Button
            look="primary"
            icon="send"
            busy={now.isPending}
            disabled={!webhook.enabled}
            onClick={() => now.mutate()}
          >
            Send now
          </Button>
        )}
        {mayWrite && !isWaiting && (
          <Button
            look="primary"
            icon="repeat"
            busy={again.isPending}
            disabled={!webhook.enabled || delivery.data === undefined}
            onClick={() => again.mutate()}
          >
            Send again
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function Attempts({ attempts }: { attempts: WebhookDelivery['attempts'] }) {
  return (
    <div className="field">
      <h3>{attempts.length === 0 ? 'No attempt yet' : counted(attempts.length, 'attempt')}</h3>
      <ol className="attempts">
        {attempts.toReversed().map(({ at, durationMs, status, error, response }) => (
          <li key={at} className="attempt">
            <div className="attempt-head">
              <Badge tone={error === null ? 'good' : 'bad'}>{status ?? 'No answer'}</Badge>
              <span>{span(durationMs)}</span>
              <span className="faint">{exact(at)}</span>
            </div>
            {error !== null && <p>{error}</p>}
            {response !== '' && (
              <pre tabIndex={0} aria-label="Response of the receiver">
                {response}
              </pre>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Indented for reading. The sent body is one line. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
