import { createElement, type ReactElement, type SVGProps } from 'react';
import arrowDown from 'lucide:arrow-down';
import arrowUp from 'lucide:arrow-up';
import bookOpen from 'lucide:book-open';
import bot from 'lucide:bot';
import braces from 'lucide:braces';
import brain from 'lucide:brain';
import brainCircuit from 'lucide:brain-circuit';
import calendarClock from 'lucide:calendar-clock';
import chartColumn from 'lucide:chart-column';
import chartNoAxesGantt from 'lucide:chart-no-axes-gantt';
import check from 'lucide:check';
import chevronLeft from 'lucide:chevron-left';
import chevronRight from 'lucide:chevron-right';
import circleAlert from 'lucide:circle-alert';
import circleCheck from 'lucide:circle-check';
import circleQuestionMark from 'lucide:circle-question-mark';
import circleSlash from 'lucide:circle-slash';
import clock from 'lucide:clock';
import columns2 from 'lucide:columns-2';
import copy from 'lucide:copy';
import cornerDownRight from 'lucide:corner-down-right';
import ellipsis from 'lucide:ellipsis';
import download from 'lucide:download';
import externalLink from 'lucide:external-link';
import filePen from 'lucide:file-pen';
import fileSearch from 'lucide:file-search';
import fileText from 'lucide:file-text';
import fileX from 'lucide:file-x';
import footprints from 'lucide:footprints';
import gitFork from 'lucide:git-fork';
import globe from 'lucide:globe';
import rotateCcwClock from 'lucide:rotate-ccw-clock';
import image from 'lucide:image';
import keyRound from 'lucide:key-round';
import keyboard from 'lucide:keyboard';
import listOrdered from 'lucide:list-ordered';
import listTodo from 'lucide:list-todo';
import loaderCircle from 'lucide:loader-circle';
import logOut from 'lucide:log-out';
import menu from 'lucide:menu';
import messageSquare from 'lucide:message-square';
import monitor from 'lucide:monitor';
import moon from 'lucide:moon';
import paperclip from 'lucide:paperclip';
import pencil from 'lucide:pencil';
import pin from 'lucide:pin';
import plug from 'lucide:plug';
import plus from 'lucide:plus';
import quote from 'lucide:quote';
import rotateCcw from 'lucide:rotate-ccw';
import rotateCw from 'lucide:rotate-cw';
import settings2 from 'lucide:settings-2';
import shieldQuestionMark from 'lucide:shield-question-mark';
import square from 'lucide:square';
import squareTerminal from 'lucide:square-terminal';
import sun from 'lucide:sun';
import thumbsDown from 'lucide:thumbs-down';
import thumbsUp from 'lucide:thumbs-up';
import trash from 'lucide:trash';
import triangleAlert from 'lucide:triangle-alert';
import webhook from 'lucide:webhook';
import wrench from 'lucide:wrench';
import x from 'lucide:x';

type IconProps = Omit<SVGProps<SVGSVGElement>, 'children'> & {
  /** Width and height in pixels; 24 without. */
  size?: number;
};

/** A picture of Lucide's collection; assistive technology does not see it. */
export type Icon = (props: IconProps) => ReactElement;

/** The bodies are the collection's own text: `web/vite.config.ts` takes those that are imported here out of it. */
const icon =
  (body: string): Icon =>
  ({ size = 24, ...others }) =>
    createElement('svg', {
      xmlns: 'http://www.w3.org/2000/svg',
      width: size,
      height: size,
      viewBox: '0 0 24 24',
      'aria-hidden': true,
      ...others,
      dangerouslySetInnerHTML: { __html: body },
    });

export const ArrowDown = icon(arrowDown);
export const ArrowUp = icon(arrowUp);
export const BookOpen = icon(bookOpen);
export const Bot = icon(bot);
export const Braces = icon(braces);
export const Brain = icon(brain);
export const BrainCircuit = icon(brainCircuit);
export const CalendarClock = icon(calendarClock);
export const ChartColumn = icon(chartColumn);
export const ChartNoAxesGantt = icon(chartNoAxesGantt);
export const Check = icon(check);
export const ChevronLeft = icon(chevronLeft);
export const ChevronRight = icon(chevronRight);
export const CircleAlert = icon(circleAlert);
export const CircleCheck = icon(circleCheck);
export const CircleHelp = icon(circleQuestionMark);
export const CircleSlash = icon(circleSlash);
export const Clock = icon(clock);
export const Columns2 = icon(columns2);
export const Copy = icon(copy);
export const CornerDownRight = icon(cornerDownRight);
export const Ellipsis = icon(ellipsis);
export const Download = icon(download);
export const ExternalLink = icon(externalLink);
export const FilePen = icon(filePen);
export const FileSearch = icon(fileSearch);
export const FileText = icon(fileText);
export const FileX = icon(fileX);
export const Footprints = icon(footprints);
export const GitFork = icon(gitFork);
export const Globe = icon(globe);
export const History = icon(rotateCcwClock);
export const Image = icon(image);
export const KeyRound = icon(keyRound);
export const Keyboard = icon(keyboard);
export const ListOrdered = icon(listOrdered);
export const ListTodo = icon(listTodo);
export const LoaderCircle = icon(loaderCircle);
export const LogOut = icon(logOut);
export const Menu = icon(menu);
export const MessageSquare = icon(messageSquare);
export const Monitor = icon(monitor);
export const Moon = icon(moon);
export const Paperclip = icon(paperclip);
export const Pencil = icon(pencil);
export const Pin = icon(pin);
export const Plug = icon(plug);
export const Plus = icon(plus);
export const Quote = icon(quote);
export const RotateCcw = icon(rotateCcw);
export const RotateCw = icon(rotateCw);
export const Settings2 = icon(settings2);
export const ShieldQuestion = icon(shieldQuestionMark);
export const Square = icon(square);
export const SquareTerminal = icon(squareTerminal);
export const Sun = icon(sun);
export const ThumbsDown = icon(thumbsDown);
export const ThumbsUp = icon(thumbsUp);
export const Trash2 = icon(trash);
export const TriangleAlert = icon(triangleAlert);
export const Webhook = icon(webhook);
export const Wrench = icon(wrench);
export const X = icon(x);
