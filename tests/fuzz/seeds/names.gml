Creator "me"
graph [
  directed 0
  node [ id 0 label "a &amp; b" graphics [ x 1.5 ] ]
  node [ id 1 label "c" ]
  edge [ source 0 target 1 weight 2.5 ] # note
]
