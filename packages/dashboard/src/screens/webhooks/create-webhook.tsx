import type { CreatedWebhook, CreateWebhook } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form, FormProblem } from '../../parts/form.tsx';
import { EventsField, eventsOfEndings } from './events.tsx';
import { SecretShownOnce } from './secret.tsx';

export function CreateWebhookDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<CreatedWebhook>();
  const [, go] = useLocation();
  if (made !== undefined)
    return (
      <Dialog open onClose={() => go(`/webhooks/${made.id}`)} title="Webhook created" keep>
        <SecretShownOnce secret={made.secret} onClose={() => go(`/webhooks/${made.id}`)} />
      </Dialog>
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title="Add a webhook"
      lead="Messages are signed, so the receiver can verify them."
      wide
    >
      <CreateForm onClose={onClose} onMade={setMade} />
    </Dialog>
  );
}

function CreateForm({ onClose, onMade }: { onClose: () => void; onMade: (made: CreatedWebhook) => void }) {
  const [form, setForm] = useState({ url: '', description: '', events: eventsOfEndings });
  const queries = useQueryClient();
  const body: CreateWebhook = {
    url: form.url.trim(),
    events: form.events,
    ...(form.description.trim() === '' ? {} : { description: form.description.trim() }),
  };
  const create = useMutation({
    mutationFn: () => client.call('createWebhook', { body }),
    onSuccess: (webhook) => {
      onMade(webhook);
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  const { error } = create;
  return (
    <Form error={error} onSubmit={() => create.mutate()}>
      <TextField
        label="Address"
        type="url"
        mono
        required
        autoFocus
        value={form.url}
        onChange={(url) => setForm({ ...form, url })}
        placeholder="https://ci.example.com/docyard"
        hint="An https address that the server can reach. Private addresses are refused unless the operator allows them."
        path="url"
      />
      <TextField
        label="What it is for"
        optional
        value={form.description}
        onChange={(description) => setForm({ ...form, description })}
        placeholder="Publishes the handbook"
        maxLength={256}
        path="description"
      />
      <EventsField value={form.events} onChange={(events) => setForm({ ...form, events })} />
      <ApiCall operation="createWebhook" body={body} command={commandOf(body)} />
      <FormProblem />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" busy={create.isPending} disabled={form.events.length === 0}>
          Add webhook
        </Button>
      </DialogActions>
    </Form>
  );
}

function commandOf({ url, events = [], description }: CreateWebhook): string {
  const named = description === undefined ? '' : ` --description ${quoted(description)}`;
  return `docyard webhooks create --url ${quoted(url)} --event ${events.join(' ')}${named}`;
}
