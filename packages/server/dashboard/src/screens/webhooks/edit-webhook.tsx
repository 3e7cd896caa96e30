/** Another address, other events, other words for the same webhook. */
import type { Webhook } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../app/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { fieldError, TextField } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { EventsField } from './events.tsx';

export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { url, description, events } = webhook;
  const [form, setForm] = useState({ url, description, events });
  const queries = useQueryClient();
  const call = { params: { webhookId: webhook.id }, body: form };
  const save = useMutation({
    mutationFn: () => client.call('updateWebhook', call),
    onSuccess: (changed) => {
      queries.setQueryData(['webhooks', webhook.id], changed);
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      onClose();
    },
  });
  const refused = fieldError(save.error, 'url');
  return (
    <Dialog open onClose={onClose} title="Change the webhook" wide>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextField
          label="Address"
          type="url"
          mono
          required
          value={form.url}
          onChange={(value) => setForm({ ...form, url: value })}
          error={refused}
        />
        <TextField
          label="What it is for"
          optional
          value={form.description}
          onChange={(value) => setForm({ ...form, description: value })}
          maxLength={256}
        />
        <EventsField value={form.events} onChange={(value) => setForm({ ...form, events: value })} />
        <ApiCall operation="updateWebhook" {...call} />
        {save.error !== null && refused === undefined && <Problem error={save.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={save.isPending} disabled={form.events.length === 0}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
