import { createRoot } from 'react-dom/client';
import { App } from './app/app.js';
import { pollConnection } from './api/connection.js';
import { applyTheme } from './app/theme.js';
import './style.css';

applyTheme();
pollConnection();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
