/**
 * The pictures of buttons and states, from Lucide (lucide.dev), under the licence beside this file.
 * The package itself has 1,700 more, a tenth of what a first start would install.
 */
import { box, circle, drawIcon } from './draw-icon.js';

export const ArrowDown = drawIcon('M12 5v14', 'm19 12-7 7-7-7');
export const ArrowUp = drawIcon('m5 12 7-7 7 7', 'M12 19V5');
export const BookOpen = drawIcon(
  'M12 5v16',
  'M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z',
);
export const Bot = drawIcon(
  'M12 8V4H8',
  box(4, 8, 16, 12, 2),
  'M2 14h2',
  'M20 14h2',
  'M15 13v2',
  'M9 13v2',
);
export const Braces = drawIcon(
  'M8 3H7a2 2 0 0 0-2 2v5a2 2 0 0 1-2 2 2 2 0 0 1 2 2v5c0 1.1.9 2 2 2h1',
  'M16 21h1a2 2 0 0 0 2-2v-5c0-1.1.9-2 2-2a2 2 0 0 1-2-2V5a2 2 0 0 0-2-2h-1',
);
export const Brain = drawIcon(
  'M12 18V5',
  'M15 13a4.17 4.17 0 01-3-4 4.17 4.17 0 01-3 4',
  'M17.707 6.294A3 3 0 1012 5a3 3 0 10-5.707 1.294',
  'M17.996 5.125a4 4 0 012.526 5.77',
  'M18 18a4 4 0 002-7.465',
  'M19.967 17.482a4 4 0 11-7.967.517 4 4 0 11-7.967-.517',
  'M6 18a4 4 0 01-2-7.465',
  'M6.004 5.125a4 4 0 00-2.526 5.77',
);
export const BrainCircuit = drawIcon(
  'M12 13h4',
  'M12 18h6a2 2 0 012 2v1',
  'M12 8h8',
  'M12 9a4.17 4.17 0 01-3 4',
  'M16 8V5a2 2 0 012-2',
  'M6 18a4 4 0 01-2-7.465',
  'M6.004 5.125a4 4 0 00-2.526 5.77',
  'M6.294 6.294A3 3 0 1112 5v13a4 4 0 11-7.967-.518',
  circle(16, 13, 0.5),
  circle(18, 3, 0.5),
  circle(20, 21, 0.5),
  circle(20, 8, 0.5),
);
export const CalendarClock = drawIcon(
  'M16 14v2.2l1.6 1',
  'M16 2v4',
  'M21 7.5V6a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h3.5',
  'M3 10h5',
  'M8 2v4',
  circle(16, 16, 6),
);
export const ChartNoAxesGantt = drawIcon('M6 5h12', 'M4 12h10', 'M12 19h8');
export const Check = drawIcon('M20 6 9 17l-5-5');
export const ChevronLeft = drawIcon('m15 18-6-6 6-6');
export const ChevronRight = drawIcon('m9 18 6-6-6-6');
export const CircleAlert = drawIcon(circle(12, 12, 10), 'M12 8 12 12', 'M12 16 12.01 16');
export const CircleCheck = drawIcon(circle(12, 12, 10), 'm16 9-5.5 5.5L8 12');
export const CircleHelp = drawIcon(
  circle(12, 12, 10),
  'M9 9.5a3 2.5 0 016 0c0 2-2 2-3 3.5',
  'M12 17h.01',
);
export const CircleSlash = drawIcon(circle(12, 12, 10), 'M9 15 15 9');
export const Clock = drawIcon(circle(12, 12, 10), 'M12 6v6l4 2');
export const Columns2 = drawIcon(box(3, 3, 18, 18, 2), 'M12 3v18');
export const Copy = drawIcon(
  box(8, 8, 14, 14, 2),
  'M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2',
);
export const CornerDownRight = drawIcon('m15 10 5 5-5 5', 'M4 4v7a4 4 0 0 0 4 4h12');
export const Download = drawIcon(
  'M12 15V3',
  'M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4',
  'm7 10 5 5 5-5',
);
export const ExternalLink = drawIcon(
  'M15 3h6v6',
  'M10 14 21 3',
  'M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6',
);
export const FilePen = drawIcon(
  'M12.659 22H18a2 2 0 0 0 2-2V8a2.4 2.4 0 0 0-.706-1.706l-3.588-3.588A2.4 2.4 0 0 0 14 2H6a2 2 0 0 0-2 2v9.34',
  'M14 2v5a1 1 0 0 0 1 1h5',
  'M10.378 12.622a1 1 0 0 1 3 3.003L8.36 20.637a2 2 0 0 1-.854.506l-2.867.837a.5.5 0 0 1-.62-.62l.836-2.869a2 2 0 0 1 .506-.853z',
);
export const FileSearch = drawIcon(
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z',
  'M14 2v5a1 1 0 0 0 1 1h5',
  circle(11.5, 14.5, 2.5),
  'M13.3 16.3 15 18',
);
export const FileText = drawIcon(
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z',
  'M14 2v5a1 1 0 0 0 1 1h5',
  'M10 9H8',
  'M16 13H8',
  'M16 17H8',
);
export const FileX = drawIcon(
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z',
  'M14 2v5a1 1 0 0 0 1 1h5',
  'm14.5 12.5-5 5',
  'm9.5 12.5 5 5',
);
export const Footprints = drawIcon(
  'M4 16v-2.38C4 11.5 2.97 10.5 3 8c.03-2.72 1.49-6 4.5-6C9.37 2 10 3.8 10 5.5c0 3.11-2 5.66-2 8.68V16a2 2 0 1 1-4 0Z',
  'M20 20v-2.38c0-2.12 1.03-3.12 1-5.62-.03-2.72-1.49-6-4.5-6C14.63 6 14 7.8 14 9.5c0 3.11 2 5.66 2 8.68V20a2 2 0 1 0 4 0Z',
  'M16 17h4',
  'M4 13h4',
);
export const GitFork = drawIcon(
  circle(12, 18, 3),
  circle(6, 6, 3),
  circle(18, 6, 3),
  'M18 9v2c0 .6-.4 1-1 1H7c-.6 0-1-.4-1-1V9',
  'M12 12v3',
);
export const Globe = drawIcon(
  circle(12, 12, 10),
  'M12 2a14.5 14.5 0 0 0 0 20 14.5 14.5 0 0 0 0-20',
  'M2 12h20',
);
export const Keyboard = drawIcon(
  'M10 8h.01',
  'M12 12h.01',
  'M14 8h.01',
  'M16 12h.01',
  'M18 8h.01',
  'M6 8h.01',
  'M7 16h10',
  'M8 12h.01',
  box(2, 4, 20, 16, 2),
);
export const Image = drawIcon(
  box(3, 3, 18, 18, 2),
  circle(9, 9, 2),
  'm21 15-3.086-3.086a2 2 0 0 0-2.828 0L6 21',
);
export const KeyRound = drawIcon(
  'M2.586 17.414A2 2 0 0 0 2 18.828V21a1 1 0 0 0 1 1h3a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h1a1 1 0 0 0 1-1v-1a1 1 0 0 1 1-1h.172a2 2 0 0 0 1.414-.586l.814-.814a6.5 6.5 0 1 0-4-4z',
  circle(16.5, 7.5, 0.5),
);
export const History = drawIcon(
  'M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8',
  'M3 3v5h5',
  'M12 7v5l4 2',
);
export const ListOrdered = drawIcon(
  'M11 5h10',
  'M11 12h10',
  'M11 19h10',
  'M4 4h1v5',
  'M4 9h2',
  'M6.5 20H3.4c0-1 2.6-1.925 2.6-3.5a1.5 1.5 0 0 0-2.6-1.02',
);
export const ListTodo = drawIcon(
  'M13 5h8',
  'M13 12h8',
  'M13 19h8',
  'm3 17 2 2 4-4',
  box(3, 4, 6, 6, 1),
);
export const LoaderCircle = drawIcon('M21 12a9 9 0 1 1-6.219-8.56');
export const Menu = drawIcon('M4 5h16', 'M4 12h16', 'M4 19h16');
export const Monitor = drawIcon(box(2, 3, 20, 14, 2), 'M8 21 16 21', 'M12 17 12 21');
export const MessageSquare = drawIcon(
  'M22 17a2 2 0 0 1-2 2H6.828a2 2 0 0 0-1.414.586l-2.202 2.202A.71.71 0 0 1 2 21.286V5a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2z',
);
export const Moon = drawIcon(
  'M20.985 12.486a9 9 0 1 1-9.473-9.472c.405-.022.617.46.402.803a6 6 0 0 0 8.268 8.268c.344-.215.825-.004.803.401',
);
export const Paperclip = drawIcon(
  'm16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551',
);
export const Pencil = drawIcon(
  'M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 .83-.497z',
  'm15 5 4 4',
);
export const Plus = drawIcon('M5 12h14', 'M12 5v14');
export const Quote = drawIcon(
  'M16 3a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2 1 1 0 0 1 1 1v1a2 2 0 0 1-2 2 1 1 0 0 0-1 1v2a1 1 0 0 0 1 1 6 6 0 0 0 6-6V5a2 2 0 0 0-2-2z',
  'M5 3a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2 1 1 0 0 1 1 1v1a2 2 0 0 1-2 2 1 1 0 0 0-1 1v2a1 1 0 0 0 1 1 6 6 0 0 0 6-6V5a2 2 0 0 0-2-2z',
);
export const RotateCcw = drawIcon('M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8', 'M3 3v5h5');
export const RotateCw = drawIcon('M21 12a9 9 0 1 1-9-9c2.52 0 4.93 1 6.74 2.74L21 8', 'M21 3v5h-5');
export const Settings2 = drawIcon('M14 17H5', 'M19 7h-9', circle(17, 17, 3), circle(7, 7, 3));
export const ShieldQuestion = drawIcon(
  'M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 01-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 011-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 011.52 0C14.51 3.81 17 5 19 5a1 1 0 011 1z',
  'M9 9.5a3 2.5 0 016 0c0 2-2 2-3 3.5',
  'M12 17h.01',
);
export const Square = drawIcon(box(3, 3, 18, 18, 2));
export const SquareTerminal = drawIcon('m7 11 2-2-2-2', 'M11 13h4', box(3, 3, 18, 18, 2));
export const Sun = drawIcon(
  circle(12, 12, 4),
  'M12 2v2',
  'M12 20v2',
  'm4.93 4.93 1.41 1.41',
  'm17.66 17.66 1.41 1.41',
  'M2 12h2',
  'M20 12h2',
  'm6.34 17.66-1.41 1.41',
  'm19.07 4.93-1.41 1.41',
);
export const ThumbsDown = drawIcon(
  'M17 14V2',
  'M9 18.12 10 14H4.17a2 2 0 0 1-1.92-2.56l2.33-8A2 2 0 0 1 6.5 2H20a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-2.76a2 2 0 0 0-1.79 1.11L12 22a3.13 3.13 0 0 1-3-3.88Z',
);
export const ThumbsUp = drawIcon(
  'M7 10v12',
  'M15 5.88 14 10h5.83a2 2 0 0 1 1.92 2.56l-2.33 8A2 2 0 0 1 17.5 22H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.76a2 2 0 0 0 1.79-1.11L12 2a3.13 3.13 0 0 1 3 3.88Z',
);
export const Trash2 = drawIcon(
  'M10 11v6',
  'M14 11v6',
  'M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6',
  'M3 6h18',
  'M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2',
);
export const TriangleAlert = drawIcon(
  'm21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3',
  'M12 9v4',
  'M12 17h.01',
);
export const Webhook = drawIcon(
  'M18 16.98h-5.99c-1.1 0-1.95.94-2.48 1.9A4 4 0 0 1 2 17c.01-.7.2-1.4.57-2',
  'm6 17 3.13-5.78c.53-.97.1-2.18-.5-3.1a4 4 0 1 1 6.89-4.06',
  'm12 6 3.13 5.73C15.66 12.7 16.9 13 18 13a4 4 0 0 1 0 8',
);
export const Wrench = drawIcon(
  'M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.106-3.105c.32-.322.863-.22.983.218a6 6 0 0 1-8.259 7.057l-7.91 7.91a1 1 0 0 1-2.999-3l7.91-7.91a6 6 0 0 1 7.057-8.259c.438.12.54.662.219.984z',
);
export const X = drawIcon('M18 6 6 18', 'm6 6 12 12');
