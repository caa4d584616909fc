// In an application of your own: the file of that name in a project of `npm create turnpike`, with its folder `parts`.
export { Chat } from '../../packages/create-turnpike/template/page/chat.tsx';
