import type { Webhook } from '@docyard/api';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { ConflictDialog } from '../../parts/conflict-dialog.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form, FormProblem } from '../../parts/form.tsx';
import { useRecordForm } from '../../parts/record-form.ts';
import { EventsField } from './events.tsx';

const labels = { url: 'Address', description: 'What it is for', events: 'Events' };

export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const queries = useQueryClient();
  const params = { webhookId: webhook.id };
  const edit = useRecordForm({
    record: webhook,
    formOf,
    save: (fields, version) => client.call('updateWebhook', { params, body: { ...fields, version } }),
    read: () => client.call('readWebhook', { params }),
    onSaved: (changed) => {
      queries.setQueryData(['webhooks', webhook.id], changed);
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
      onClose();
    },
  });
  const { form, set } = edit;
  return (
    <Dialog open onClose={onClose} title="Change the webhook" wide>
      <Form error={edit.error} onSubmit={edit.submit}>
        <TextField
          label="Address"
          type="url"
          mono
          required
          value={form.url}
          onChange={(url) => set({ url })}
          path="url"
        />
        <TextField
          label="What it is for"
          optional
          value={form.description}
          onChange={(description) => set({ description })}
          maxLength={256}
          path="description"
        />
        <EventsField value={form.events} onChange={(events) => set({ events })} />
        <ApiCall operation="updateWebhook" params={params} body={form} />
        <FormProblem />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={edit.isPending} disabled={form.events.length === 0}>
            Save
          </Button>
        </DialogActions>
        <ConflictDialog conflict={edit.conflict} form={form} labels={labels} isPending={edit.isPending} />
      </Form>
    </Dialog>
  );
}

function formOf({ url, description, events }: Webhook) {
  return { url, description, events };
}
