graph [ multigraph 1 directed 1 node [ id 7 ] node [ id -3 ]
edge [ source 7 target -3 value 2 key 0 ] edge [ source -3 target 7 value 3 key 0 ] ]
