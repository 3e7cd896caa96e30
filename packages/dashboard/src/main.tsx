/** Entry point of the dashboard. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/client.ts';
import { protectUnsavedEdits } from './edits/unsaved-edits.ts';
import { Routes } from './frame/routes.tsx';
import { Toasts } from './parts/toast.tsx';
import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/parts.css';

const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no #root.');

protectUnsavedEdits();
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <Toasts>
          <Routes />
        </Toasts>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
