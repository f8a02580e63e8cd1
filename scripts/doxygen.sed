# Makes comments such as ours Doxygen's, as they are: the first is the file's, others stand before or behind what they
# are about.
/^ *\/\/( |$)/ {
  s,[\\@#<>&%$"],\\&,g
  s,^( *)//,\1///,
}
2s,^///,/// \\file\n///,
s,^( *[^/ ].*[;\,{(]) +// (.*),\1  ///< \2,
