/** A form that ends with being signed in: what is typed, what the server says to it, and where it leads. */
import type { Me } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { announceSession } from '../../session/session-channel.ts';

export function useGateForm<Form extends Record<string, string>>(
  empty: Form,
  send: (form: Form) => Promise<Me>,
  place = '/',
) {
  const [form, setForm] = useState(empty);
  const [, go] = useLocation();
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () => send(form),
    onSuccess: (me) => {
      // It may be somebody else than the one who was here before.
      queries.getQueryCache().clear();
      queries.setQueryData(['me'], me);
      announceSession('signed-in');
      go(place, { replace: true });
    },
  });
  return {
    form,
    error: sending.error,
    isPending: sending.isPending,
    /** What was said of the old text is not true of the new one. */
    change: (field: keyof Form) => (value: string) => {
      setForm({ ...form, [field]: value });
      if (sending.isError) sending.reset();
    },
    submit: () => sending.mutate(),
  };
}
